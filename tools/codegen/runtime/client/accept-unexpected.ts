import { UnexpectedResponseError } from './unexpected-response-error.js'

/** A response that the contract does not declare, as a result. `data` and `error` are unchecked. */
export type Unexpected = {
  readonly status: number
  /** What was not expected. No declared result has this field. */
  readonly unexpected: 'undeclared_status' | 'content_type' | 'empty_body'
  /** Of a success: JSON parsed, text as it is, other bytes as a Blob. */
  readonly data?: unknown
  /** The same of any other status. */
  readonly error?: unknown
  readonly response: Response
}

/** The methods of a client that accepts such responses. */
export type Accepting<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (
    ...input: infer Input
  ) => Promise<infer Result>
    ? (...input: Input) => Promise<Result | Unexpected>
    : Methods[Name]
}

/**
 * Makes a result of a response with a status or a media type that the contract does not declare,
 * and of an empty one. Pass it as the option `unexpected` of a client. A body that is broken, too
 * large or incomplete is still thrown.
 */
export async function acceptUnexpected(error: unknown): Promise<Unexpected> {
  if (!(error instanceof UnexpectedResponseError)) throw error
  const { reason, status, response } = error
  if (reason !== 'undeclared_status' && reason !== 'content_type' && reason !== 'empty_body')
    throw error
  const value = reason === 'empty_body' ? undefined : await readValue(response)
  return { status, unexpected: reason, [response.ok ? 'data' : 'error']: value, response }
}

async function readValue(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  const blob = await response.blob()
  if (blob.size === 0) return undefined
  if (!/^$|^text\/|json|xml|javascript|yaml|urlencoded/i.test(type)) return blob
  const text = await blob.text()
  // many services send JSON as text
  if (!/json/i.test(type) && !/^\s*[[{"]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
