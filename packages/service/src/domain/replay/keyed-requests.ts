import type { Database, Statement } from '../../platform/database/database.js'
import { wasUndone } from '../../platform/database/storage-error.js'
import { createUnfinished } from '../../platform/unfinished.js'
import { hasDied } from '../ledger/process-lease.js'
import { createResponseCipher, hashKey } from './response-cipher.js'
import {
  readResponse,
  type StoredResponse,
  createResponseWriter,
  responseLimits,
  type ResponseLimits,
  type ResponseWriter,
} from './stored-response.js'

/** A request with an Idempotency-Key. */
export type KeyedRequest = {
  readonly account: string
  readonly operation: string
  /** As the caller sent it. Only its hash is kept. */
  readonly key: string
}

export type Claim = {
  /** How often the key was taken for work, with this time. */
  readonly run: number
  /** Begins to store the response, whose end ends the claim. */
  readonly store: () => ResponseWriter
  /** Ends the claim without a response, and deletes its stored parts. */
  readonly forget: () => Promise<void>
  /** Ends the claim without a response. The key remembers how often it was taken. */
  readonly rest: () => Promise<void>
  /** Like `rest`, but this time does not count. */
  readonly giveBack: () => Promise<void>
}

type ClaimResult =
  | { readonly status: 'claimed'; readonly claim: Claim }
  /** Another request with this key is at work. */
  | { readonly status: 'running' }
  /** The key is that of a request with another fingerprint. */
  | { readonly status: 'other request' }
  | { readonly status: 'stored'; readonly response: StoredResponse }

/**
 * Lets one request at a time work under an Idempotency-Key, in all processes, and stores its
 * response. What a request has done is known to the part that does it: the ledger, the video jobs,
 * the voices and the API keys.
 */
export type KeyedRequests = {
  readonly isKnown: (request: KeyedRequest) => Promise<boolean>
  readonly claim: (
    request: KeyedRequest,
    own: { readonly requestId: string; readonly fingerprint: string },
  ) => Promise<ClaimResult>
  /**
   * Ends the claims of this process that it could not end before, and those whose creation got no
   * response.
   */
  readonly endUnfinished: () => Promise<void>
}

export type KeyedRequestsOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Secret of the service. With a new one, stored responses cannot be read. */
  readonly secret: string
  /** The process whose end frees its claims (`openProcessLease`). */
  readonly processId: string
  readonly limits?: Partial<ResponseLimits>
}

/** A claim that outlives this belongs to a process that hangs. */
export const claimLifetimeMs = 15 * 60_000

/** Attempts of a claim while others of its key end. */
const attempts = 5

type Row = {
  readonly id: bigint
  readonly fingerprint: string
  readonly run: number
  readonly salt: Uint8Array | null
  readonly bytes: bigint
}

const columns = 'id, fingerprint, run, salt, bytes'

/**
 * The condition for the row of a claim: `$1` account, `$2` operation, `$3` hash of the key, `$4`
 * request.
 */
const isOwn = 'account = $1 and operation = $2 and key = $3 and request_id = $4'

export function createKeyedRequests(
  database: Database,
  { now, secret, processId, limits }: KeyedRequestsOptions,
): KeyedRequests {
  const most = { ...responseLimits, ...limits }
  const unfinished = createUnfinished<Statement>()
  const findRow = async ({ account, operation, key }: KeyedRequest) => {
    const [row] = await database.query<Row>(
      `select ${columns} from keyed_request where account = $1 and operation = $2 and key = $3`,
      [account, operation, hashKey(key)],
    )
    return row
  }
  const take = async (
    { account, operation, key }: KeyedRequest,
    requestId: string,
    fingerprint: string,
  ) => {
    const time = now()
    const [row] = await database.query<Row>(
      `insert into keyed_request (account, operation, key, fingerprint, request_id, process_id, lease_until, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (account, operation, key) do update
         set request_id = excluded.request_id, process_id = excluded.process_id, lease_until = excluded.lease_until, run = keyed_request.run + 1
         where keyed_request.fingerprint = excluded.fingerprint and keyed_request.bytes = 0
           and (keyed_request.request_id is null or keyed_request.lease_until <= excluded.created_at or ${hasDied('keyed_request')})
       returning ${columns}`,
      [
        account,
        operation,
        hashKey(key),
        fingerprint,
        requestId,
        processId,
        new Date(time + claimLifetimeMs).toISOString(),
        new Date(time).toISOString(),
      ],
    )
    return row
  }
  const openCipher = (request: KeyedRequest, salt: Uint8Array) =>
    createResponseCipher({ ...request, secret, salt })
  const perform = async ({ sql, params }: Statement) => void (await database.query(sql, params))
  /** Ends a claim, unless another request has taken the key. */
  const createEnds = ({ account, operation, key }: KeyedRequest, requestId: string) => {
    const end = async (sql: string) => {
      const statement = { sql, params: [account, operation, hashKey(key), requestId] }
      try {
        await perform(statement)
      } catch (error) {
        unfinished.add(statement)
        throw error
      }
    }
    return {
      forget: () => end(`delete from keyed_request where ${isOwn}`),
      rest: () => end(`update keyed_request set request_id = null where ${isOwn}`),
      giveBack: () =>
        end(
          `with kept as (update keyed_request set request_id = null, run = run - 1 where ${isOwn} and run > 1)
           delete from keyed_request where ${isOwn} and run = 1`,
        ),
    }
  }
  const createClaim = ({ id, run }: Row, request: KeyedRequest, requestId: string): Claim => {
    const ends = createEnds(request, requestId)
    return {
      run,
      store: () =>
        createResponseWriter(database, {
          id,
          run,
          requestId,
          limits: most,
          createCipher: (salt) => openCipher(request, salt),
          forget: ends.forget,
        }),
      ...ends,
    }
  }
  /** A claim may exist although the database did not respond. */
  const takeOrGiveBack: typeof take = async (request, requestId, fingerprint) => {
    try {
      return await take(request, requestId, fingerprint)
    } catch (error) {
      if (!wasUndone(error))
        await createEnds(request, requestId)
          .giveBack()
          .catch(() => undefined)
      throw error
    }
  }

  return {
    isKnown: async (request) => (await findRow(request)) !== undefined,

    claim: async (request, { requestId, fingerprint }) => {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const claim = await takeOrGiveBack(request, requestId, fingerprint)
        if (claim) return { status: 'claimed', claim: createClaim(claim, request, requestId) }
        const row = await findRow(request)
        if (!row) continue
        if (row.fingerprint !== fingerprint) return { status: 'other request' }
        if (row.bytes === 0n || row.salt === null) return { status: 'running' }
        const response = await readResponse(database, row, openCipher(request, row.salt))
        if (response) return { status: 'stored', response }
        // deleted meanwhile, or of another secret
        await database.query('delete from keyed_request where id = $1', [row.id])
      }
      return { status: 'running' }
    },

    endUnfinished: () => unfinished.finish(perform),
  }
}
