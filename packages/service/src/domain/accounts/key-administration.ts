import type { Database } from '../../platform/database/database.js'
import { createApiKeys, type ApiKeys } from './api-keys.js'
import { createKeyChanges, type KeyChanges } from './key-changes.js'
import { createKeyRecords, type KeyRecords } from './key-records.js'
import type { KeySecretOptions } from './key-secrets.js'
import { readKeyUsage, type KeyUsage, type Period } from './key-usage.js'

/** The life of API keys, for an operator. */
export type KeyAdministration = KeyRecords &
  KeyChanges &
  Pick<ApiKeys, 'create'> & {
    /** Undefined for a key that does not exist. */
    readonly usage: (id: string, period: Period) => Promise<readonly KeyUsage[] | undefined>
  }

export type KeyAdministrationOptions = KeySecretOptions & { readonly now: () => number }

export function createKeyAdministration(database: Database, options: KeyAdministrationOptions): KeyAdministration {
  const records = createKeyRecords(database, options.now)
  return {
    ...records,
    ...createKeyChanges(database, { ...options, records }),
    create: createApiKeys(database, options).create,
    usage: async (id, period) => ((await records.read(id)) ? readKeyUsage(database, id, period) : undefined),
  }
}
