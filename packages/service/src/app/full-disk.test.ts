import { expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, origin, startService } from '../../test/harness.js'
import { DatabaseUnavailableError } from '../platform/database/storage-error.js'

/** The embedded database on a disk that can be full, which only writes notice. */
async function openLimitedDatabase() {
  const database = await openEmptyDatabase()
  const disk = { isFull: false }
  const query: typeof database.query = async (sql, params) => {
    if (disk.isFull && /\b(?:insert|update|delete)\b/i.test(sql)) {
      const error = new Error('could not extend file "base/5/24576": No space left on device')
      throw new DatabaseUnavailableError(Object.assign(error, { code: '53100' }))
    }
    return database.query(sql, params)
  }
  return { database: { ...database, query }, disk }
}

it('a service whose disk is full is not ready, returns 503, and recovers once there is space', async () => {
  const { database, disk } = await openLimitedDatabase()
  const farebox = await startService({ database, adminCreditUsd: 10 })
  const parse = async () => {
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    const headers = { authorization: `Bearer ${adminKey}` }
    return farebox.call('parseText', '/augment/text-parser', { method: 'POST', headers, body })
  }
  const ready = async () => {
    const response = await farebox.service.fetch(new Request(`${origin}/readyz`))
    return [response.status, ((await response.json()) as { checks: unknown }).checks]
  }
  expect((await parse()).status).toBe(200)

  disk.isFull = true
  const rejected = await parse()
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await ready()).toEqual([503, expect.objectContaining({ database: 'failed' })])
  expect(farebox.crashes).toEqual([])

  disk.isFull = false
  expect((await ready())[0]).toBe(200)
  expect((await parse()).status).toBe(200)
  expect(await farebox.ledger.audit()).toEqual([])
  await farebox.service.close()
})
