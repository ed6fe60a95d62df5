import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { StorageError } from '../../platform/database/storage-error.js'

type PepperOptions = { readonly keyPepper?: string; readonly keyPepperOld?: string }

type Peppers = { readonly pepper: string; readonly oldPepper?: string }

/**
 * The pepper of the options or of this database, and the previous one. Rejects with a StorageError
 * for a pepper that does not belong to the API keys of this database, which would silently
 * invalidate all of them.
 */
export async function takePeppers(
  database: Database,
  { keyPepper, keyPepperOld }: PepperOptions,
): Promise<Peppers> {
  const pepper = keyPepper ?? (await readOrCreatePepper(database))
  const check = hashPepper(pepper)
  await database.query(`insert into setting (name, value) values ($1, $2) on conflict do nothing`, [
    checkName,
    check,
  ])
  const fault = await findPepperFault(database, pepper, keyPepperOld)
  if (fault !== undefined) throw new StorageError(fault)
  await database.query(`update setting set value = $2 where name = $1 and value <> $2`, [
    checkName,
    check,
  ])
  return { pepper, ...(keyPepperOld !== undefined && { oldPepper: keyPepperOld }) }
}

/** Why a service with these peppers must not start on this database. */
export async function findPepperFault(
  database: Database,
  pepper: string,
  oldPepper?: string,
): Promise<string | undefined> {
  const known = await readSetting(database, checkName)
  if (
    known === undefined ||
    known === hashPepper(pepper) ||
    (oldPepper !== undefined && known === hashPepper(oldPepper))
  )
    return undefined
  return 'FAREBOX_KEY_PEPPER is not the pepper that the API keys of this database were made with, and all of them would end. Set that one again; or set it as FAREBOX_KEY_PEPPER_OLD, and both count.'
}

const checkName = 'key_pepper_check'

/** Identifies a pepper without revealing it. */
function hashPepper(pepper: string): string {
  return createHmac('sha256', pepper).update('farebox pepper check').digest('base64url')
}

async function readSetting(database: Database, name: string): Promise<string | undefined> {
  const [row] = await database.query<{ value: string }>(
    'select value from setting where name = $1',
    [name],
  )
  return row?.value
}

/** The pepper of this database, which is created on first use. */
export async function readOrCreatePepper(
  database: Database,
  random: (bytes: number) => Buffer = randomBytes,
): Promise<string> {
  await database.query(
    `insert into setting (name, value) values ('key_pepper', $1) on conflict do nothing`,
    [random(32).toString('base64url')],
  )
  const row = await readSetting(database, 'key_pepper')
  if (row === undefined) throw new Error('API keys: the database keeps no pepper')
  return row
}
