import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { listening } from '../../../service/test/command.js'
import { ended, fareboxBin } from '../../test/farebox-command.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const workspace = new URL('../../../../', import.meta.url)
const serve = (...args: readonly string[]) =>
  spawn(process.execPath, ['--liftoff-only', fareboxBin, 'serve', ...args], { cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'] })

describe('farebox serve', () => {
  it('is the service of the folder in one process: it answers, and ends with SIGTERM', async () => {
    const child = serve('--port', '0', '--data', join(folder, 'data'))
    const origin = await listening(child)
    const models = await fetch(`${origin}/api/v1/models?type=tts`)
    expect(models.status).toBe(200)
    await models.arrayBuffer()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('hands over options and exit codes', async () => {
    expect(await ended(serve('--nope'))).toMatchObject({ code: 2, stderr: expect.stringContaining('farebox-service:') as string })
    expect(await ended(serve('--help'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: farebox serve (?!.*farebox-service)/s) as string,
    })
  })
})
