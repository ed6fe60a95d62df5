import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCommand, waitForAddress, parseFor } from '../../test/command.js'

let folder: string
let postgres: TestPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-back-up-'))
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

const onFolder = createCommand(() => folder)
const onPostgres = createCommand(
  () => folder,
  () => ({ FAREBOX_DATABASE_URL: postgres.url }),
)
afterEach(async () => {
  await onFolder.killAll()
  await onPostgres.killAll()
})

const readPoint = (stdout: string) =>
  /Recovery point .* and ([\d.]+) USD\. The last entry is .*\n/.exec(stdout) ?? expect.fail(stdout)

describe('farebox-service backup and restore', () => {
  it('copy the folder of a running or stopped service and restore it to PostgreSQL', async () => {
    const child = onFolder.start('--port', '0', '--data', 'running')
    const origin = await waitForAddress(child)
    const load = { isOver: false }
    let answered = 0
    const client = async () => {
      while (!load.isOver) if ((await parseFor(origin)) === 200) answered++
    }
    const clients = [client(), client(), client()]
    await expect.poll(() => answered).toBeGreaterThanOrEqual(3)
    const before = answered
    const backup = await onFolder.run('backup', 'live', '--data', 'running')
    load.isOver = true
    await Promise.all(clients)
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    expect(backup.stdout).toContain('It contains the secret for the hashes of API keys.')
    const [point, usd] = readPoint(backup.stdout)
    const charges = Math.round((100 - Number(usd)) * 100)
    expect(charges).toBeGreaterThanOrEqual(before)
    expect(charges).toBeLessThanOrEqual(answered)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await expect(stat(join(folder, 'running', 'backup.sock'))).rejects.toThrow('ENOENT')

    const restored = await onFolder.run('restore', 'live', '--data', 'restored')
    expect(restored).toEqual({
      code: 0,
      stderr: '',
      stdout: `Restored live. ${point}The ledger is consistent.\n`,
    })
    const again = await onFolder.run('restore', 'live', '--data', 'restored')
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The database is not empty') as string,
    })

    const stopped = await onFolder.run('backup', 'stopped', '--data', 'restored')
    expect(stopped.code).toBe(0)
    expect(readPoint(stopped.stdout)[1]).toBe(usd)
    const moved = await onPostgres.runHere('restore', 'stopped')
    expect(moved).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('The ledger is consistent.') as string,
    })
    expect(readPoint(moved.stdout)[1]).toBe(usd)
    const toStdout = await onPostgres.run('backup', '-')
    expect(toStdout.code).toBe(0)
    expect(readPoint(toStdout.stderr)[1]).toBe(usd)
  })
})
