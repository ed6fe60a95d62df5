import { isRecord } from '../../platform/is-record.js'

/** An entry of an account with its hash, as an audit found them. */
export type AnchoredHead = {
  /** RFC 3339. */
  readonly at: string
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  /** 64 hex digits. */
  readonly hash: string
}

export function printHead({ at, accountId, account, number, hash }: AnchoredHead): string {
  return JSON.stringify({ at, id: String(accountId), account, entry: String(number), hash })
}

/** Undefined for a line that is none of ours. */
export function parseHead(line: string): AnchoredHead | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (!isRecord(value)) return undefined
    const { at, id, account, entry, hash } = value
    const isHead =
      isText(at, /^\d{4}-/) && isText(id, digits) && isText(account, /^/) && isText(entry, digits) && isText(hash, /^[\da-f]{64}$/)
    return isHead ? { at, accountId: BigInt(id), account, number: BigInt(entry), hash } : undefined
  } catch {
    return undefined
  }
}

const digits = /^[1-9]\d{0,18}$/

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
