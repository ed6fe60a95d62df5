import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** Resolves a package behind a link right after a synchronous stat of a socket. */
const createScript = (setup: string) => `
  import { createServer } from 'node:net'
  import { mkdtempSync, rmSync, statSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  await import('viem/chains')
  const folder = mkdtempSync(join(tmpdir(), 'farebox-socket-'))
  const server = createServer().listen(join(folder, 'socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  statSync(join(folder, 'socket'))
  ${setup}
  console.log(import.meta.resolve('viem/accounts'))
  server.close(() => rmSync(folder, { recursive: true }))`

it('a module has its real path after the setup of a test file, whatever was last passed to stat', () => {
  const setup = fileURLToPath(
    new URL('../tools/internal/testing/dist/reset-stat.js', import.meta.url),
  )
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const args = [
    '--input-type=module',
    '--eval',
    createScript(`await import(${JSON.stringify(setup)})`),
  ]
  expect(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })).toContain(
    '/node_modules/.pnpm/viem@',
  )
})
