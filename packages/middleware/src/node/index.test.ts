import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { updateVersions, type VersionOptions } from './index.js'

const home = mkdtempSync(join(tmpdir(), 'farebox-versions-'))
afterAll(() => rmSync(home, { recursive: true }))
const program = fileURLToPath(new URL('../../test/counting-process.mjs', import.meta.url))

const some: VersionOptions = { kept: 3 }

/** Adds to the count, and returns what it was. */
async function count(folder: string, by = 1, options = some): Promise<number> {
  let found = 0
  await updateVersions(
    folder,
    (text = '0') => {
      found = Number(text)
      return by === 0 ? undefined : String(found + by)
    },
    options,
  )
  return found
}

async function countInProcess(
  folder: string,
  times: number,
  killedAt = -1,
  durable = false,
): Promise<unknown> {
  const child = spawn(
    process.execPath,
    [program, folder, String(times), String(killedAt), String(durable)],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return code ?? signal
}

test('three processes that count in one folder lose nothing', async () => {
  const folder = join(home, 'shared')
  expect(
    await Promise.all([
      countInProcess(folder, 60),
      countInProcess(folder, 60),
      countInProcess(folder, 60),
    ]),
  ).toEqual([0, 0, 0])
  expect(await count(folder, 0)).toBe(180)
})

test.each([
  // mkdir, readdir, open, writeFile, close and link come before the count; rm and readdir after it
  [false, [0, 0, 0, 0, 0, 0, 1, 1, 1]],
  // with a sync before the link, and open, sync and close of the folder after it
  [true, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]],
])(
  'a process that is killed before any file operation (durable: %s) has counted once or not at all, and blocks nobody',
  async (durable, expected) => {
    const counts: number[] = []
    for (let step = 0; ; step++) {
      const folder = join(home, `step-${durable}-${step}`)
      const ended = await countInProcess(folder, 1, step, durable)
      counts.push(await count(folder))
      expect(await count(folder)).toBe((counts.at(-1) ?? 0) + 1)
      if (ended === 0) break
      expect([step, ended]).toEqual([step, 'SIGKILL'])
    }
    expect(counts).toEqual(expected)
  },
)

test('the folder is readable by its owner only, and keeps old versions but no drafts of killed processes', async () => {
  const folder = join(home, 'kept')
  await count(folder)
  writeFileSync(join(folder, '2.killed.draft'), '4')
  expect([statSync(folder).mode & 0o777, statSync(join(folder, '1')).mode & 0o777]).toEqual([
    0o700, 0o600,
  ])
  for (let number = 2; number <= 9; number++) await count(folder)
  expect(readdirSync(folder).toSorted()).toEqual(['7', '8', '9'])
})

test('old versions are removed every `removedEvery` updates, and other files stay', async () => {
  const folder = join(home, 'seldom')
  mkdirSync(folder)
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  for (let number = 1; number <= 11; number++)
    await count(folder, 1, { kept: 3, removedEvery: 10, extension: '.json' })
  expect(readdirSync(folder).toSorted()).toEqual([
    '10.json',
    '11.json',
    '8.json',
    '9.json',
    'notes.txt',
  ])
  expect(readFileSync(join(folder, '11.json'), 'utf8')).toBe('11')
})

test('an update that `kept` others have overtaken starts again', async () => {
  const folder = join(home, 'overtaken')
  await count(folder)
  let calls = 0
  const change = (text = '0') => {
    if (calls++ === 0) {
      // while this one was stopped, others wrote 2 to 9, and removed what was old
      writeFileSync(join(folder, '9'), '9')
      rmSync(join(folder, '1'))
    }
    return String(Number(text) + 100)
  }
  await updateVersions(folder, change, some)
  expect([calls, await count(folder, 0)]).toEqual([2, 109])
})
