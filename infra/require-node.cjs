/* Preloaded by the npm scripts (`node --require …`), so that an old Node says what is wrong instead of failing to read TypeScript. */
'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    'hearth runs on Node 24 (22.18 at the least) and this is Node ' +
      process.versions.node +
      '; on Linux ' +
      '"npm ci" brings the right one for every npm script, elsewhere install the version in .node-version.',
  )
  process.exit(1)
}
