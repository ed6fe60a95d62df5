import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileLimitStore } from './index.js'

const home = mkdtempSync(join(tmpdir(), 'farebox-limit-store-'))
afterAll(() => rmSync(home, { recursive: true }))

type Count = { count: number }
async function count(folder: string, by = 1): Promise<number> {
  let found = 0
  await fileLimitStore(folder).update('a key', { count: 0 }, (state: Count) => {
    found = state.count
    state.count += by
    return by === 0
  })
  return found
}

test('only its owner can read it, it keeps some versions, and it removes the files of killed processes', async () => {
  const folder = join(home, 'kept')
  await count(folder)
  const [stateFolder = ''] = readdirSync(folder)
  writeFileSync(join(folder, stateFolder, '2.killed'), '{"at')
  expect(statSync(join(folder, stateFolder)).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, stateFolder, '1')).mode & 0o777).toBe(0o600)
  for (let number = 2; number <= 250; number++) await count(folder)
  expect(readdirSync(join(folder, stateFolder))).toHaveLength(200)
  expect(await count(folder, 0)).toBe(250)
})

test('an unreadable file counts as missing', async () => {
  const folder = join(home, 'broken')
  await count(folder)
  const [stateFolder = ''] = readdirSync(folder)
  writeFileSync(join(folder, stateFolder, '1'), '')
  expect(await count(folder)).toBe(0)
  expect(await count(folder)).toBe(1)
})
