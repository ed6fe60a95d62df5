import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { waitForFolder } from './folder-socket.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-answers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('accepts a folder that responds, and one that does not exist yet', async () => {
  writeFileSync(join(folder, 'lock.1'), '{}')
  await waitForFolder(folder)
  await waitForFolder(join(folder, 'new'))
})

it('rejects a folder where a file call never returns, and lets the process exit', async () => {
  // a read of a pipe waits for a writer, as a read on a dead network share waits for its server
  spawnSync('mkfifo', [join(folder, 'lock.1')])
  await expect(waitForFolder(folder, 300)).rejects.toThrow(
    `The data folder ${folder} does not respond: its disk was silent for 1 s. Check the disk or the network share, or give another folder with --data.`,
  )
})
