import type { Database } from '../../platform/database/database.js'
import {
  firstHash,
  readContent,
  writeContent,
  type CoveredField,
  entryColumns,
  readEntries,
  sha256,
  type Break,
  type ChainedEntry,
} from './chain.js'

type Fields = Readonly<Record<CoveredField, string | null>>

/** Neighbours on each side, whose values and places a changed entry is compared with. */
const neighbours = 200

const types = ['CHARGE', 'REFUND', 'TOP_UP', 'GRANT', 'DEBIT']

/**
 * Names the change at a break. A field is named, with its value before, where a value that the
 * entries around it suggest gives the hash of the entry: this proves it. Undefined for an entry
 * that is as it was, and differs only because the one before it is another (`followsBreak`).
 */
export async function explainBreak(
  database: Database,
  found: Break,
  followsBreak: boolean,
): Promise<string | undefined> {
  const { kind, number, after = 0n } = found
  const entry = `entry ${number}`
  if (kind === 'missing') {
    const first = after + 1n
    const missing =
      number - first === 1n
        ? `entry ${first} is missing`
        : `entries ${first} to ${number - 1n} are missing`
    return `${missing}, and ${entry} cannot be verified`
  }
  if (kind === 'hash changed') return `the hash of ${entry} was changed, its content was not`
  const around = await readEntries(
    database,
    `select ${entryColumns} from entry e join account a on a.id = e.account_id
     where e.account_id = $1 and e.number between $2 and $3 order by e.number`,
    [found.accountId, number - BigInt(neighbours), number + BigInt(neighbours)],
  )
  const place = around.findIndex((one) => one.number === number)
  const changed = around[place]
  if (!changed) return `${entry} is missing`
  const { hash, content } = changed
  if (followsBreak && around.some((one) => sha256(one.hash, content).equals(hash))) return undefined
  return `${entry} (${readContent(changed.content).id}) was changed: ${describeChange(around, place, changed)}`
}

function describeChange(
  around: readonly ChainedEntry[],
  place: number,
  { content, hash, number }: ChainedEntry,
): string {
  const previous = around[place - 1]
  const before = previous?.hash ?? firstHash
  const fields = readContent(content)
  const gives = (fields: Fields, from = before) => sha256(from, writeContent(fields)).equals(hash)
  const suggested = suggestions(fields, previous && readContent(previous.content), around)
  for (const suggestion of suggested) {
    if (gives({ ...fields, ...suggestion })) return differences(fields, suggestion)
  }
  // it may have been at another place, after the entry that was before it there
  const hashes = [firstHash, ...around.map((one) => one.hash)]
  for (const { number: other } of around) {
    const moved = { ...fields, number: String(other) }
    if (other !== number && hashes.some((one) => gives(moved, one))) return `it was entry ${other}`
  }
  const begins = BigInt(previous ? (readContent(previous.content).balanceAfter ?? 0) : 0)
  if (begins + BigInt(fields.amount ?? 0) !== BigInt(fields.balanceAfter ?? 0))
    return 'its amount, its balance and more do not follow from the entry before it'
  return 'it has another content than its hash; its amount agrees with the balances before and after it'
}

/** Values that the entry may have had. */
function* suggestions(
  fields: Fields,
  previous: Fields | undefined,
  around: readonly ChainedEntry[],
): Generator<Partial<Fields>> {
  const others = around.map((one) => readContent(one.content))
  const begins = BigInt(previous?.balanceAfter ?? 0)
  const follows = String(begins + BigInt(fields.amount ?? 0))
  yield { balanceAfter: follows }
  yield { amount: String(BigInt(fields.balanceAfter ?? 0) - begins) }
  const next = others.find(({ number }) => number === String(BigInt(fields.number ?? 0) + 1n))
  if (next) {
    const ends = BigInt(next.balanceAfter ?? 0) - BigInt(next.amount ?? 0)
    yield { balanceAfter: String(ends), amount: String(ends - begins) }
  }
  for (const type of types) yield { type }
  const alike: readonly CoveredField[] = [
    'account',
    'modelId',
    'keyId',
    'cost',
    'diemAmount',
    'diemDay',
    'requestId',
    'refunds',
    'refundedBefore',
    'actor',
    'reason',
    'createdAt',
    'amount',
    'id',
  ]
  for (const field of alike)
    for (const value of new Set([null, '0', ...others.map((one) => one[field])]))
      yield { [field]: value }
}

function differences(fields: Fields, suggestion: Partial<Fields>): string {
  return Object.entries(suggestion)
    .map(
      ([field, value]) =>
        `${field} is ${fields[field as CoveredField] ?? 'nothing'}, and was ${value ?? 'nothing'}`,
    )
    .join('; ')
}
