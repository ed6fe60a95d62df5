import type { Database } from '../../platform/database/database.js'
import type { ResponseCipher } from './response-cipher.js'

/** What a response consists of, but for its body. */
export type ResponseHead = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export type StoredResponse = ResponseHead & {
  /** A body of several parts is read as it is needed, so that it is never in memory whole. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** The head that is stored, with the number of parts of the body. */
export type StoredHead = ResponseHead & { readonly parts: number }

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
