import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, startService } from '../../test/harness.js'
import type { Database } from '../platform/database/database.js'
import { isPrivate } from './settings/values.js'
import type { ServiceOptions } from '../app/service-options.js'

describe('the pepper of API keys', () => {
  let database: Database
  let secret: string
  beforeAll(async () => void (database = await openEmptyDatabase()))
  afterAll(() => database.close())

  const start = (options: Partial<ServiceOptions>) =>
    startService({ database: { ...database, close: async () => undefined }, ...options })
  const readStatus = async (options: Partial<ServiceOptions>, key: string) => {
    const farebox = await start(options)
    const { status } = await farebox.call('listModels', '/models', {
      headers: { authorization: `Bearer ${key}` },
    })
    await farebox.service.close()
    return status
  }

  it('cannot change silently', async () => {
    const farebox = await start({ keyPepper: 'one' })
    const made = await farebox.call('createApiKey', '/api_keys', {
      method: 'POST',
      body: JSON.stringify({ apiKeyType: 'INFERENCE', description: '' }),
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    })
    secret = (made.json['data'] as { readonly apiKey: string }).apiKey
    await farebox.service.close()
    for (const options of [{ keyPepper: 'two' }, {}, { keyPepper: 'two', keyPepperOld: 'three' }]) {
      await expect(start(options)).rejects.toThrow('FAREBOX_KEY_PEPPER is not the pepper')
    }
  })

  it('rotates: keys of the old pepper work while both are set, and after use without it', async () => {
    expect(await readStatus({ keyPepper: 'two', keyPepperOld: 'one' }, secret)).toBe(200)
    expect(await readStatus({ keyPepper: 'two' }, secret)).toBe(200)
    await expect(start({ keyPepper: 'one' })).rejects.toThrow('FAREBOX_KEY_PEPPER')
  })

  it('an old admin key works beside its successor until it is removed', async () => {
    const rotated = { keyPepper: 'two', adminKey: 'the-new-admin-key' }
    expect(await readStatus({ ...rotated, adminKeyOld: adminKey }, adminKey)).toBe(200)
    expect(await readStatus({ ...rotated, adminKeyOld: adminKey }, 'the-new-admin-key')).toBe(200)
    expect(await readStatus(rotated, adminKey)).toBe(401)
  })
})

describe('a secret file', () => {
  it.each([
    [0o600, 1000, true],
    [0o400, 0, true],
    [0o440, 0, true], // systemd credentials, Kubernetes with fsGroup
    [0o640, 0, true],
    [0o440, 1000, false],
    [0o444, 0, false],
    [0o460, 0, false],
  ])('of mode %i and owner %i is private: %s', (mode, uid, expected) => {
    expect(isPrivate({ mode, uid })).toBe(expected)
  })
})
