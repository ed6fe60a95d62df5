import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import type { Database } from '../../platform/database/database.js'
import { createNonceStore } from './authenticate.js'

let database: Database
beforeAll(async () => {
  database = await openEmptyDatabase()
})
afterAll(() => database.close())

/** A store, and the statements that it sends. */
function createRecordedStore() {
  const sent: string[] = []
  const query: Database['query'] = (sql, params) => {
    sent.push(sql)
    return database.query(sql, params)
  }
  return { sent, claim: createNonceStore({ ...database, query }).claim }
}

it('lets one of several concurrent claims have a nonce, in a shared statement', async () => {
  const { sent, claim } = createRecordedStore()
  const claims = ['a', 'b', 'a', 'c', 'a', 'b'].map((nonce) => claim('0x1', nonce, 1e12))
  expect(await Promise.all(claims)).toEqual([true, true, false, true, false, false])
  expect(sent).toHaveLength(1)
})

it('remembers a nonce only for its wallet, and only while it is stored', async () => {
  const { claim } = createRecordedStore()
  expect(await claim('0x1', 'once', 1e12)).toBe(true)
  expect(
    await Promise.all([
      claim('0x1', 'once', 1e12),
      claim('0x2', 'once', 1e12),
      claim('0x1', 'other', 1e12),
    ]),
  ).toEqual([false, true, true])
})
