import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommand } from '../../test/command.js'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-back-up-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

const { runHere } = createCommand(() => folder)

describe('farebox-service backup and restore', () => {
  it('require a file, and name a file that is not a backup', async () => {
    expect(await runHere('backup')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('backup: found no FILE.') as string,
    })
    expect(await runHere('audit', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected nothing more') as string,
    })
    expect(await runHere('backup', 'none', '--data', 'typo')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The folder typo has no database.') as string,
    })
    expect(await runHere('restore', 'none', '--data', 'new')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'farebox-service: The backup none cannot be read: there is no such file.\n',
    })
  })
})
