// `pnpm generate`: writes all that is committed and follows from the rest of the tree. `--check`
// names what differs instead. `pnpm generate badges` does only that part. Other arguments go to the
// generator of code (`--watch`, `--spec petstore.yaml`).
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Each part with the project that is built for it, and its command. */
const parts = {
  code: ['tools/codegen', 'tools/codegen/dist/cli.js', '--strict'],
  reference: ['tools/internal/reference', 'tools/internal/reference/dist/write-prepared.js'],
  prepared: ['packages/service', 'packages/service/prepared/prepare.mjs'],
  schemas: ['packages/service', 'packages/service/prepared/schemas.mjs'],
  'operator-page': ['packages/service', 'packages/service/prepared/operator-page.mjs'],
  badges: ['tools/internal/release', 'tools/internal/release/dist/badges.js'],
}

const given = process.argv.slice(2)
const names = given.filter((argument) => argument in parts)
const others = given.filter((argument) => !(argument in parts))
const isOfCode = others.some((argument) => argument !== '--check')
const chosen = isOfCode ? ['code'] : names.length > 0 ? names : Object.keys(parts)
const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve('@typescript/native/package.json')), 'bin/tsc')

for (const name of chosen) {
  const [project, ...command] = parts[name]
  for (const args of [
    [tsc, '-b', project],
    [...command, ...others],
  ]) {
    // all parts run, so that all differences are named at once
    if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exitCode = 1
  }
}
