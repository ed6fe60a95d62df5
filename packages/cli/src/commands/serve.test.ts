import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { createSiwxHeader } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { afterAll, describe, expect, it } from 'vitest'
import { waitForAddress } from '../../../service/test/command.js'
import { waitForExit, fareboxBin } from '../../test/farebox-command.js'
import { isOnLoopback } from './serve.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const signer = privateKeySigner(`0x${'11'.repeat(32)}`)
const workspace = new URL('../../../../', import.meta.url)
const serve = (...args: readonly string[]) =>
  spawn(process.execPath, ['--liftoff-only', fareboxBin, 'serve', ...args], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

describe('farebox serve', () => {
  it('runs the service of the folder in one process: it responds, accepts a sign-in twice, and exits on SIGTERM', async () => {
    const child = serve('--port', '0', '--data', join(folder, 'data'))
    const origin = await waitForAddress(child)
    const models = await fetch(`${origin}/api/v1/models?type=tts`)
    expect(models.status).toBe(200)
    await models.arrayBuffer()

    const header = await createSiwxHeader(signer, {
      domain: new URL(origin).host,
      uri: origin,
      statement: 'Sign in to Farebox API',
    })
    const balance = () =>
      fetch(`${origin}/api/v1/x402/balance/${signer.address}`, {
        headers: { 'sign-in-with-x': header },
      })
    expect([(await balance()).status, (await balance()).status]).toEqual([200, 200])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.each([
    [[], {}, true],
    [['--host', 'localhost', '--origin=http://[::1]:4020'], {}, true],
    [['--host=::1'], { FAREBOX_HOST: '0.0.0.0' }, true],
    [['--host', '0.0.0.0'], {}, false],
    [['--host', '127.0.0.1', '--host', '10.0.0.7'], {}, false],
    [['--origin', 'https://api.example'], {}, false],
    [[], { FAREBOX_ORIGIN: 'https://127.0.0.1.example' }, false],
    [[], { FAREBOX_HOST: '::' }, false],
    [['--origin'], {}, true],
  ])(
    'but accepts it once if other machines can reach it: %j %j',
    (operands, environment, expected) => {
      expect(isOnLoopback(operands, environment)).toBe(expected)
    },
  )

  it('passes on options and exit codes', async () => {
    expect(await waitForExit(serve('--nope'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('farebox-service:') as string,
    })
    expect(await waitForExit(serve('--help'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: farebox serve (?!.*farebox-service)/s) as string,
    })
  })
})
