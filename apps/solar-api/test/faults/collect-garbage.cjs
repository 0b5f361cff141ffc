// Loaded before the service: SIGUSR2 collects garbage, so that the memory that is in use then is what is kept.
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => collect())
