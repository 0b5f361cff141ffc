import { createServer } from 'node:http'
import { port, small } from './setting.ts'

/* Bare node:http that answers and does nothing else: no gate of one Node process can be faster. */

createServer((_req, res) => {
  const body = JSON.stringify(small)
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}).listen(port, '127.0.0.1')
