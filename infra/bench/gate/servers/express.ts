import express from 'express'
import { full, port, small } from './setting.ts'

/* Stock Express: no key, no limit, no validation, no calculation. */

const app = express()
app.get('/v1/small', (_req, res) => {
  res.json(small)
})
app.post('/v1/calculate', express.json(), (_req, res) => {
  res.json(full)
})
app.listen(port, '127.0.0.1')
