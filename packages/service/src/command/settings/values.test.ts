import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Reads the secret of a pipe, and resolves a package behind a link afterwards. */
const program = `
  import { readSecretFile } from ${JSON.stringify(new URL('../../../dist/command/settings/values.js', import.meta.url).href)}
  await import('hono/cookie')
  console.log(readSecretFile(process.argv[1]), import.meta.resolve('hono/cors'))`

it('reading a secret from a pipe does not change the real paths of modules that load later', () => {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const command = 'exec "$0" --input-type=module --eval "$1" <(echo piped-secret)'
  const args = ['-c', command, process.execPath, program]
  expect(execFileSync('bash', args, { cwd, encoding: 'utf8' })).toMatch(
    /^piped-secret file:.*\/node_modules\/\.pnpm\/hono@/,
  )
})
