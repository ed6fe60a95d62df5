import { decodeForm, parsePairs } from './decode-parameters.js'
import { BrokenText } from './decode-values.js'
import type { ResponseReader } from '../client/call.js'
import { formatName } from '../client/format-name.js'
import { rankByParameters, stripParameters } from './media-type.js'
import type { ContentFacts, OperationFacts, ReadBody, Source } from './operation-facts.js'
import { findProblems } from './problems.js'
import { RejectedRequest } from './rejected-request.js'
import { parseValue } from './shape.js'
import { UnexpectedResponseError } from '../client/unexpected-response-error.js'

/** Reads the body by its media type. Returns undefined for an optional body that is not there. */
export async function readBody(
  operation: OperationFacts,
  source: Source,
): Promise<{ contentType: string; body: unknown } | undefined> {
  const { body } = operation
  if (body === undefined) return undefined
  const { headers } = source.request
  const type = headers.get('content-type')
  if (type === null && isEmpty(source.request)) {
    if (body.required)
      throw new RejectedRequest(400, [{ where: 'body', found: 'nothing', expected: 'a body' }])
    return undefined
  }
  const found = stripParameters(type ?? '')
  // many clients name a type in each request, and an empty string is not JSON
  if (!body.required && isJson(found) && isEmpty(source.request)) return undefined
  const content = findContent(rankByParameters(body.contents, type ?? ''), found)
  if (content === undefined) {
    const expected = body.contents.map(({ type: one }) => one).join(' or ')
    throw new RejectedRequest(415, [
      {
        where: 'headers.content-type',
        found: found === '' ? 'nothing' : JSON.stringify(found.slice(0, 80)),
        expected,
      },
    ])
  }
  const value = await content.read(source, content, operation)
  const problems =
    content.valid === undefined || isItems(value) ? [] : findProblems('body', content.valid, value)
  if (problems.length > 0) throw new RejectedRequest(400, problems)
  return { contentType: content.type.includes('*') ? found : content.type, body: value }
}

function isEmpty({ body, headers }: Request): boolean {
  return body === null || headers.get('content-length') === '0'
}

function isItems(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/**
 * The closest declaration of a media type: itself, its family, any JSON for JSON, another name of
 * its format, anything.
 */
function findContent(contents: readonly ContentFacts[], found: string): ContentFacts | undefined {
  const types = contents.map((content) => [stripParameters(content.type), content] as const)
  const fits: readonly ((type: string) => boolean)[] = [
    (type) => type === found,
    (type) => type.endsWith('/*') && type !== '*/*' && found.startsWith(type.slice(0, -1)),
    (type) => isJson(type) && isJson(found),
    (type) => formatName(type) === formatName(found),
    (type) => type === '*/*',
  ]
  for (const fit of fits) {
    const match = types.find(([type]) => fit(type))
    if (match !== undefined) return match[1]
  }
  return undefined
}

/** Reads JSON. No error quotes it. */
export async function readJson(source: Source): Promise<unknown> {
  const text = await readText(source)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw createRejection(text.trim() === '' ? 'nothing' : 'broken JSON', 'JSON')
  }
}

/** Reads a string, as a value of its schema if that is a scalar. */
export async function readString(source: Source, { shape }: ContentFacts): Promise<unknown> {
  const text = await readText(source)
  return shape === undefined ? text : parseValue(text, shape, source.shapes)
}

/** Reads bytes, within the limit. */
export async function readBytes(source: Source): Promise<Blob> {
  return new Blob([await readAllBytes(source)], {
    type: source.request.headers.get('content-type') ?? '',
  })
}

/** Reads `application/x-www-form-urlencoded`. */
export async function readForm(
  source: Source,
  { shape = { kind: 'any' }, encoding = {} }: ContentFacts,
): Promise<unknown> {
  try {
    return decodeForm(parsePairs(await readText(source), '&'), shape, encoding, source.shapes)
  } catch (error) {
    throw error instanceof BrokenText ? createRejection(error.message, 'a form') : error
  }
}

/** Reads items as they arrive, each validated before it is handed over. */
export function createItemsReader(readItems: ResponseReader): ReadBody {
  return ({ request, maxBytes }, { valid }, { id, idempotent }) => {
    const facts = { id, idempotent } as Parameters<ResponseReader>[0]
    // the boundary of parts is in the type
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    const found = readItems(
      facts,
      new Response(request.body, { headers }),
      maxBytes,
      request.signal,
    ) as AsyncIterable<unknown>
    return validateItems(found, valid)
  }
}

async function* validateItems(
  found: AsyncIterable<unknown>,
  valid: ContentFacts['valid'],
): AsyncGenerator {
  let index = 0
  try {
    for await (const item of found) {
      const problems = valid === undefined ? [] : findProblems(`body.${index}`, valid, item)
      if (problems.length > 0) throw new RejectedRequest(400, problems)
      index++
      yield item
    }
  } catch (error) {
    if (!(error instanceof UnexpectedResponseError)) throw error
    const status = error.reason === 'too_large' ? 413 : 400
    throw new RejectedRequest(status, [
      { where: `body.${index}`, found: error.reason.replaceAll('_', ' '), expected: 'an item' },
    ])
  }
}

async function readText(source: Source): Promise<string> {
  return new TextDecoder().decode(await readAllBytes(source))
}

/** A body above the limit is not read any further. */
export async function readAllBytes({
  request: { body, headers },
  maxBytes,
}: Source): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let size = Number(headers.get('content-length') ?? 0) > maxBytes ? Infinity : 0
  while (size <= maxBytes) {
    const part = (await reader?.read())?.value
    if (part === undefined) return concatBytes(parts, size)
    parts.push(part)
    size += part.byteLength
  }
  await reader?.cancel()
  throw new RejectedRequest(413, [
    { where: 'body', found: `more than ${maxBytes} bytes`, expected: `at most ${maxBytes} bytes` },
  ])
}

function concatBytes(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

export function createRejection(found: string, expected: string): RejectedRequest {
  return new RejectedRequest(400, [{ where: 'body', found, expected }])
}

export function isJson(type: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(type)
}
