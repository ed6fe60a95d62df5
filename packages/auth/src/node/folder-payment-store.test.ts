import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createRecord, describeStore, readRecords } from '../../test/store-contract.js'
import { defaultPaymentFolder, folderPaymentStore } from './folder-payment-store.js'

const home = mkdtempSync(join(tmpdir(), 'farebox-folder-store-'))
afterAll(() => rmSync(home, { recursive: true }))
let folder = ''
let next = 0
beforeEach(() => void (folder = join(home, String(next++), 'payments')))

const add = (number: number) =>
  folderPaymentStore(folder).update((records) => [...records, createRecord(number)])

describe('a store in a folder', () => {
  describeStore(async () => () => folderPaymentStore(folder))

  test('is created by the first update, and only its owner can read it', async () => {
    await add(1)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(
      readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]),
    ).toEqual([['1.json', 0o600]])
  })

  test('keeps few versions, and removes the files of killed processes', async () => {
    await add(1)
    writeFileSync(join(folder, '2.killed.draft'), '{"ver')
    for (let number = 2; number <= 20; number++) await add(number)
    expect(readdirSync(folder).toSorted()).toEqual(
      Array.from({ length: 16 }, (_, at) => `${at + 5}.json`).toSorted(),
    )
  })

  test('does not reuse the number of a removed version for an update that was suspended meanwhile', async () => {
    await add(1)
    const all = Array.from({ length: 30 }, (_, at) => at + 1)
    let runs = 0
    await folderPaymentStore(folder).update((records) => {
      if (runs++ === 0) {
        const version = (number: number) =>
          JSON.stringify({ version: 1, records: all.slice(0, number).map(createRecord) })
        for (const number of all) writeFileSync(join(folder, `${number}.json`), version(number))
        for (const number of all.slice(0, 14)) rmSync(join(folder, `${number}.json`))
      }
      return [...records, createRecord(100)]
    })
    expect(runs).toBe(2)
    expect(
      (await readRecords(folderPaymentStore(folder))).map(({ nonce }) => Number(nonce.slice(2))),
    ).toEqual([...all, 100])
  })

  test('rejects an unreadable file, and does not overwrite it', async () => {
    await add(1)
    for (const text of ['', '{"version":1,"rec', '{"version":2,"records":[]}', '[]', 'null']) {
      writeFileSync(join(folder, '1.json'), text)
      await expect(add(2)).rejects.toThrow(
        '1.json does not contain records that this version can read',
      )
    }
    expect(readdirSync(folder)).toEqual(['1.json'])
  })

  test('fails if the folder is not writable', async () => {
    writeFileSync(join(home, 'file'), '')
    await expect(
      folderPaymentStore(join(home, 'file', 'payments')).update((records) => records),
    ).rejects.toThrow('ENOTDIR')
    if (process.getuid?.() === 0) return
    await add(1)
    chmodSync(folder, 0o500)
    await expect(add(2)).rejects.toThrow('EACCES')
  })
})

test('the default folder is in the state folder of the user', () => {
  expect(defaultPaymentFolder({ XDG_STATE_HOME: '/state', HOME: '/home/me' })).toBe(
    join('/state', 'farebox', 'payments'),
  )
  expect(defaultPaymentFolder({ XDG_STATE_HOME: '', HOME: '/home/me' })).toBe(
    join('/home/me', '.local', 'state', 'farebox', 'payments'),
  )
})
