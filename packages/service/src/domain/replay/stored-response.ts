import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { ResponseCipher } from './response-cipher.js'

/** A response without its body. */
export type ResponseHead = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export type StoredResponse = ResponseHead & {
  /** A body of several parts is read as it is needed, so that it is never in memory whole. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** The head that is stored, with the number of parts of the body. */
type StoredHead = ResponseHead & { readonly parts: number }

/** Undefined for a response that is not there or cannot be decrypted. */
export async function readResponse(
  database: Database,
  { id, run }: { readonly id: bigint; readonly run: number },
  { decrypt }: ResponseCipher,
): Promise<StoredResponse | undefined> {
  const readPart = async (number: number) => {
    const [row] = await database.query<{ content: string }>(
      `select encode(content, 'base64') as content from response_part where keyed_request_id = $1 and run = $2 and number = $3`,
      [id, run, number],
    )
    return row && decrypt(number, Buffer.from(row.content, 'base64'))
  }
  const streamParts = (first: Uint8Array<ArrayBuffer>, parts: number) => {
    let number = 1
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          const part = number === 1 ? first : await readPart(number)
          if (!part)
            throw new Error(
              `Replay: part ${number} of ${parts} of a stored response was deleted while it was sent`,
            )
          controller.enqueue(part)
          if (number++ === parts) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  const head = await readPart(0)
  if (!head) return undefined
  const { parts, ...rest } = JSON.parse(Buffer.from(head).toString()) as StoredHead
  const first = parts === 0 ? new Uint8Array(0) : await readPart(1)
  return first && { ...rest, body: parts > 1 ? streamParts(first, parts) : first }
}

/** Bounds of stored responses, in bytes. A response counts at least 16 KiB. */
export type ResponseLimits = {
  /** Default: 16 MiB, a text of the greatest length as WAV. */
  readonly perResponse: number
  /** For one account. The oldest make room for new ones. Default: 64 MiB. */
  readonly perCaller: number
  /** For all accounts together. The oldest make room for new ones. Default: 1 GiB. */
  readonly inTotal: number
}

const mebibyte = 1024 * 1024

export const responseLimits: ResponseLimits = {
  perResponse: 16 * mebibyte,
  perCaller: 64 * mebibyte,
  inTotal: 1024 * mebibyte,
}

/** Stores a response while it is sent. A response that is too large is not stored. */
export type ResponseWriter = {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Completes the response, which cannot be read before. */
  readonly end: (head: ResponseHead) => Promise<void>
}

type ResponseWriterOptions = {
  readonly id: bigint
  readonly run: number
  readonly requestId: string
  readonly limits: ResponseLimits
  readonly createCipher: (salt: Uint8Array) => ResponseCipher
  /** Ends the claim without a response. */
  readonly forget: () => Promise<void>
}

/** Bytes in one row. The embedded engine blocks the thread while it writes a row. */
const partLength = mebibyte / 4

/** The minimum that a response counts, which bounds their number, too. */
const minCounted = 16 * 1024

export function createResponseWriter(
  database: Database,
  { id, run, requestId, limits, createCipher, forget }: ResponseWriterOptions,
): ResponseWriter {
  const salt = randomBytes(32)
  const cipher = createCipher(salt)
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let bytes = 0
  let parts = 0
  // the embedded engine takes bytes in base64 in a sixth of the time
  const encrypted = (number: number, part: Uint8Array) =>
    Buffer.from(cipher.encrypt(number, part)).toString('base64')
  const isTooLarge = () => bytes > limits.perResponse

  /** The waiting bytes as an encrypted part. */
  const nextPart = () => {
    const content = encrypted(++parts, Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
    return content
  }

  const writePart = async () => {
    const content = nextPart()
    await database.query(
      `insert into response_part (keyed_request_id, run, number, content)
       select id, $2, $3, decode($4, 'base64') from keyed_request where id = $1 and request_id = $5`,
      [id, run, parts, content, requestId],
    )
  }

  return {
    write: async (more) => {
      bytes += more.byteLength
      if (isTooLarge()) waiting = []
      for (let start = 0; start < more.byteLength && !isTooLarge();) {
        const piece = more.subarray(start, start + partLength - waitingBytes)
        start += piece.byteLength
        waiting.push(piece)
        waitingBytes += piece.byteLength
        if (waitingBytes === partLength) await writePart()
      }
    },

    end: async ({ status, headers }) => {
      const counted = Math.max(bytes, minCounted)
      if (isTooLarge() || counted > limits.perCaller) return forget()
      const last = waitingBytes > 0 ? nextPart() : null
      const head = encrypted(
        0,
        Buffer.from(JSON.stringify({ status, headers, parts } satisfies StoredHead)),
      )
      const [used] = await database.query<{ own: bigint; all: bigint }>(
        `with done as (
           update keyed_request set request_id = null, salt = $4, bytes = $5::bigint where id = $1 and request_id = $2 returning id, account
         ), written as (
           insert into response_part (keyed_request_id, run, number, content)
           select id, $3, part.number, content from done, (values (0, decode($6, 'base64')), ($7::integer, decode($8, 'base64'))) part (number, content)
           where content is not null
         )
         select coalesce(sum(bytes) filter (where keyed_request.account = done.account), 0)::bigint + $5::bigint as own,
           coalesce(sum(bytes), 0)::bigint + $5::bigint as all
         from done left join keyed_request on bytes > 0`,
        [id, requestId, run, salt, counted, head, parts, last],
      )
      if (used && used.own > limits.perCaller) await makeRoom(database, id, limits.perCaller, true)
      if (used && used.all > limits.inTotal) await makeRoom(database, id, limits.inTotal, false)
    },
  }
}

/** Deletes the oldest responses beyond a bound: those of the account of a response, or of all. */
async function makeRoom(
  database: Database,
  id: bigint,
  most: number,
  ofAccount: boolean,
): Promise<void> {
  await database.query(
    `delete from keyed_request where id in (
       select id from (
         select id, sum(bytes) over (order by id desc) as so_far from keyed_request
         where bytes > 0 and (not $3 or account = (select account from keyed_request where id = $1))
       ) newest where so_far > $2
     )`,
    [id, most, ofAccount],
  )
}
