import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'
import { inlineParser, origin } from '../../test/harness.js'
import { createService, type Service } from './create-service.js'
import { createApiKeys } from '../domain/accounts/api-keys.js'
import { readOrCreatePepper } from '../domain/accounts/peppers.js'
import { createKeyChanges } from '../domain/accounts/key-administration.js'
import { createKeyRecords } from '../domain/accounts/key-records.js'
import type { Database } from '../platform/database/database.js'
import { openPostgres } from '../platform/database/postgres.js'

let postgres: TestPostgres
let services: readonly Service[]
let database: Database
beforeAll(async () => {
  postgres = await startPostgres()
  const start = () =>
    createService({ origin, adminKey: 'k', databaseUrl: postgres.url, textParser: inlineParser })
  services = [await start(), await start()]
  database = await openPostgres(postgres.url)
})
afterAll(async () => {
  await Promise.all([...services.map((service) => service.close()), database.close()])
  await postgres.stop()
})

describe('two services on one database', () => {
  it('reject a key on the very next request after a third process rotated or revoked it', async () => {
    const options = { now: Date.now, pepper: await readOrCreatePepper(database) }
    const records = createKeyRecords(database, options.now)
    const changes = createKeyChanges(database, { ...options, records })
    const created = await createApiKeys(database, options).create({
      account: 'key:admin',
      type: 'INFERENCE',
      description: '',
    })
    if (created.status !== 'created') throw new Error(created.status)
    const { key, secret: first } = created
    const responses = async (secret: string) =>
      Promise.all(
        services.map(async (service) => {
          const headers = { authorization: `Bearer ${secret}` }
          const response = await service.fetch(new Request(`${origin}/api/v1/models`, { headers }))
          const { code } = (await response.json()) as { readonly code?: string }
          return code ?? response.status
        }),
      )
    // both have seen the key, so that a copy of it would be found out
    expect(await responses(first)).toEqual([200, 200])
    const rotated = await changes.rotate(key.id, 0)
    const second = rotated.status === 'rotated' ? rotated.secret : ''
    expect(await responses(first)).toEqual(['AUTHENTICATION_FAILED', 'AUTHENTICATION_FAILED'])
    expect(await responses(second)).toEqual([200, 200])
    await changes.revoke(key.id)
    expect(await responses(second)).toEqual([
      'AUTHENTICATION_FAILED_INACTIVE_KEY',
      'AUTHENTICATION_FAILED_INACTIVE_KEY',
    ])
    expect(await records.read(key.id)).toMatchObject({ state: 'revoked' })
  })
})
