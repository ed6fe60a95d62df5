import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@farebox/testing/commands'
import { installPackages } from '@farebox/testing/install-package'
import { startPostgres } from '@farebox/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createCommand, waitForAddress, waitForOutput } from '../../test/command.js'
import { deployments } from '../../test/deploy-files.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'

const compose = fileURLToPath(new URL('../../deploy/compose.yaml', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'farebox-deploy-'))
let upstream: ScriptedUpstream
let environment: NodeJS.ProcessEnv = {}
const command = createCommand(
  () => folder,
  () => environment,
)
beforeAll(async () => {
  await installPackages(['docker-compose'], ['docker-compose'])
  upstream = await startScripted()
  upstream.script = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
})
afterAll(() => {
  upstream.close()
  rmSync(folder, { recursive: true })
})

/** Writes what an operator has to bring: the secrets, upstreams and catalogue that it names. */
function bringFiles(root: string, given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const entries = Object.entries(given).map(([name, value]) => {
    const isFile = /^(?:%d)?\/./.test(value)
    if (!isFile) return [name, value]
    const path = join(root, value)
    if (name === 'FAREBOX_DATA') return [name, path]
    mkdirSync(dirname(path), { recursive: true })
    if (name === 'FAREBOX_UPSTREAMS') {
      const chat = { name: 'chat', capability: 'chat', url: `${upstream.origin}/v1` }
      const health = { path: '/models', everyMs: 1_000 }
      writeFileSync(path, JSON.stringify({ upstreams: [{ ...chat, health }] }))
    } else if (name === 'FAREBOX_CATALOGUE') writeFileSync(path, '{}')
    else writeFileSync(path, `secret-of-${basename(path)}\n`, { mode: 0o600 })
    return [name, path]
  })
  return Object.fromEntries(entries) as NodeJS.ProcessEnv
}

it.each(Object.entries(deployments))('a service starts as %s says', async (file, read) => {
  const given = bringFiles(join(folder, file), read().environment)
  const postgres = await startPostgres()
  onTestFinished(() => command.killAll().then(postgres.stop))
  const isOnPostgres = given['FAREBOX_DATABASE_URL'] !== undefined
  environment = {
    ...given,
    FAREBOX_ADMIN_KEY: '',
    ...(isOnPostgres && { FAREBOX_DATABASE_URL: postgres.url }),
    FAREBOX_PORT: '0',
    FAREBOX_OPERATOR_PORT: '0',
  }
  const child = command.start('serve', '--origin', 'http://127.0.0.1')
  const [, operator] = await Promise.all([
    waitForAddress(child),
    waitForOutput(child, /API at (\S+),/),
  ])
  const { status } = await fetch(`${operator}/operator/v1/accounts`, {
    headers: { authorization: 'Bearer secret-of-operator-key' },
  })
  expect(status).toBe(200)
  await expect.poll(() => upstream.received.splice(0).length).toBeGreaterThan(0)
})

it('Compose accepts its file', async () => {
  const env = { POSTGRES_PASSWORD: 'x' }
  expect(await run('docker-compose', ['--file', compose, 'config', '--quiet'], { env })).toBe('')
})
