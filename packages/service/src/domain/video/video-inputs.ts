import type { Database } from '../../platform/database/database.js'

/** The requests of unfinished videos: prompts, and media as data URLs. */
export type VideoInputs = {
  /** Keeps a request, or says whose bound it exceeds: exactly, also for simultaneous requests. */
  readonly keep: (jobId: string, account: string, request: object) => Promise<'kept' | InputsFull>
  /** Undefined after `forget`, and after the end of the job. */
  readonly read: (jobId: string) => Promise<Readonly<Record<string, unknown>> | undefined>
  readonly forget: (jobId: string) => Promise<void>
}

/** Whose bound is reached. */
export type InputsFull = 'caller' | 'service'

export type VideoInputLimits = {
  /** Bytes for one account. Default: 128 MiB. */
  readonly perCaller?: number
  /** Bytes for all accounts together. Default: 1 GiB. */
  readonly inTotal?: number
}

const mebibyte = 1024 * 1024

/** Characters in one row. The embedded engine blocks the thread while it writes a row. */
const chunkLength = mebibyte / 2

export function createVideoInputs(
  database: Database,
  now: () => number,
  { perCaller = 128 * mebibyte, inTotal = 1024 * mebibyte }: VideoInputLimits = {},
): VideoInputs {
  const readChunk = async (jobId: string, number: number) => {
    const [row] = await database.query<{ content: string }>(
      'select content from video_input where job_id = $1 and number = $2',
      [jobId, number],
    )
    return row?.content
  }
  return {
    keep: async (jobId, account, request) => {
      const text = JSON.stringify(request)
      const [first = '', ...others] = splitText(text)
      const time = new Date(now()).toISOString()
      // the first row stands for the bytes of all of them; the function lets one statement at a
      // time add up and insert
      const [limits] = await database.query<{ fits_caller: boolean; fits_service: boolean }>(
        `with used as (
           select a.id, own + $3::bigint <= $4::bigint as fits_caller, total + $3::bigint <= $5::bigint as fits_service
           from account a cross join lateral video_input_bytes(a.id) where a.name = $2
         ), added as (
           insert into video_input (job_id, number, account_id, bytes, content, created_at)
           select $1, 0, id, $3::bigint, $6, $7 from used where fits_caller and fits_service returning 1
         )
         select fits_caller, fits_service from used`,
        [jobId, account, Buffer.byteLength(text), perCaller, inTotal, first, time],
      )
      if (limits?.fits_caller === false) return 'caller'
      if (limits?.fits_service !== true) return 'service'
      for (const [index, chunk] of others.entries()) {
        await database.query(
          `insert into video_input (job_id, number, account_id, bytes, content, created_at)
           select job_id, $2, account_id, 0, $3, created_at from video_input where job_id = $1 and number = 0`,
          [jobId, index + 1, chunk],
        )
      }
      return 'kept'
    },

    read: async (jobId) => {
      const chunks: string[] = []
      for (;;) {
        const chunk = await readChunk(jobId, chunks.length)
        if (chunk === undefined) break
        chunks.push(chunk)
      }
      // text, since a prompt may contain U+0000, which jsonb rejects
      return chunks.length === 0
        ? undefined
        : (JSON.parse(chunks.join('')) as Readonly<Record<string, unknown>>)
    },

    forget: async (jobId) =>
      void (await database.query('delete from video_input where job_id = $1', [jobId])),
  }
}

/** Splits a string. No part ends between the halves of a surrogate pair. */
function splitText(text: string): string[] {
  const chunks: string[] = []
  for (let start = 0; start < text.length;) {
    const last = text.charCodeAt(start + chunkLength - 1)
    const end = start + chunkLength - (last >= 0xd800 && last < 0xdc00 ? 1 : 0)
    chunks.push(text.slice(start, end))
    start = end
  }
  return chunks
}
