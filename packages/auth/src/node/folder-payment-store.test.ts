import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { recordsOf } from '../../test/records-of.js'
import { describeStore, recordOf } from '../../test/store-contract.js'
import { defaultPaymentFolder } from './folder-payment-store.js'
import { folderPaymentStore } from './folder-payment-store.js'

const home = mkdtempSync(join(tmpdir(), 'farebox-folder-store-'))
afterAll(() => rmSync(home, { recursive: true }))
let folder = ''
let next = 0
beforeEach(() => void (folder = join(home, String(next++), 'payments')))

const add = (number: number) => folderPaymentStore(folder).update((records) => [...records, recordOf(number)])

describe('the store in a folder', () => {
  describeStore(async () => () => folderPaymentStore(folder))

  test('is made by the first update, for its owner alone', async () => {
    await add(1)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])).toEqual([['1.json', 0o600]])
  })

  test('keeps few versions, and removes what killed processes left', async () => {
    await add(1)
    writeFileSync(join(folder, '2.killed.draft'), '{"ver')
    for (let number = 2; number <= 20; number++) await add(number)
    expect(readdirSync(folder).toSorted()).toEqual(Array.from({ length: 16 }, (_, at) => `${at + 5}.json`).toSorted())
  })

  test('does not take a number that was used and removed, for an update that was stopped meanwhile', async () => {
    await add(1)
    const all = Array.from({ length: 30 }, (_, at) => at + 1)
    let runs = 0
    await folderPaymentStore(folder).update((records) => {
      if (runs++ === 0) {
        const version = (number: number) => JSON.stringify({ version: 1, records: all.slice(0, number).map(recordOf) })
        for (const number of all) writeFileSync(join(folder, `${number}.json`), version(number))
        for (const number of all.slice(0, 14)) rmSync(join(folder, `${number}.json`))
      }
      return [...records, recordOf(100)]
    })
    expect(runs).toBe(2)
    expect((await recordsOf(folderPaymentStore(folder))).map(({ nonce }) => Number(nonce.slice(2)))).toEqual([...all, 100])
  })

  test('refuses what it cannot read, and writes nothing over it', async () => {
    await add(1)
    for (const text of ['', '{"version":1,"rec', '{"version":2,"records":[]}', '[]', 'null']) {
      writeFileSync(join(folder, '1.json'), text)
      await expect(add(2)).rejects.toThrow('1.json does not contain records that this version can read')
    }
    expect(readdirSync(folder)).toEqual(['1.json'])
  })

  test('fails where the folder cannot be written', async () => {
    writeFileSync(join(home, 'file'), '')
    await expect(folderPaymentStore(join(home, 'file', 'payments')).update((records) => records)).rejects.toThrow('ENOTDIR')
    if (process.getuid?.() === 0) return
    await add(1)
    chmodSync(folder, 0o500)
    await expect(add(2)).rejects.toThrow('EACCES')
  })
})

test('the default folder stands in the state folder of the user', () => {
  expect(defaultPaymentFolder({ XDG_STATE_HOME: '/state', HOME: '/home/me' })).toBe(join('/state', 'farebox', 'payments'))
  expect(defaultPaymentFolder({ XDG_STATE_HOME: '', HOME: '/home/me' })).toBe(join('/home/me', '.local', 'state', 'farebox', 'payments'))
})
