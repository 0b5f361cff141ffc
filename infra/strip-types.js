import { stripTypeScriptTypes } from 'node:module'

/** Jest transform: Node's own type stripping, so tests run exactly the code that `node file.ts` runs. */
export default {
  process(source) {
    return { code: stripTypeScriptTypes(source, { mode: 'strip' }) }
  },
}
