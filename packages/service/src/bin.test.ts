import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startListening } from '@farebox/testing/start-listening'
import { expect, it } from 'vitest'

const bin = fileURLToPath(new URL('../dist/bin.js', import.meta.url))

it.skipIf(!existsSync('/dev/full'))('fails when its output is lost', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [bin, 'catalogue'], { stdio: ['ignore', full, 'pipe'] })
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  expect([...(await once(child, 'close')), stderr]).toEqual([
    1,
    null,
    'farebox-service: The output cannot be written (ENOSPC).\n',
  ])
  closeSync(full)
})

const hasContainers = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0

it.skipIf(!hasContainers)('ends when its container is stopped while it starts', async () => {
  const silent = createServer()
  const { port } = new URL(await startListening(silent))
  const child = spawn(
    'unshare',
    ['--pid', '--fork', '--kill-child', process.execPath, bin, '--port', '0'],
    {
      stdio: 'ignore',
      env: { ...process.env, FAREBOX_DATABASE_URL: `postgres://a@127.0.0.1:${port}/a` },
    },
  )
  const ended = once(child, 'close')
  const [connection] = (await once(silent, 'connection')) as [Socket]
  const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  process.kill(Number(first), 'SIGTERM')
  expect(await ended).toEqual([143, null])
  connection.destroy()
  silent.close()
})
