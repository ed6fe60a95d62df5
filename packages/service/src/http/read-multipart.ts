import type { Operation } from '@farebox/types/operations'
import { Busboy } from '@fastify/busboy'
import type * as z from 'zod'
import { invalidField, invalidInput, tooLarge, type Failure } from '../contract/failures.js'
import { joinBytes } from '../platform/bounded-body.js'
import { sleep } from '../platform/time.js'
import {
  findFileLimit,
  formOverhead as overhead,
  readLimitedBody,
  type TakeBytes,
} from './body-limit.js'
import { HttpError } from './reply.js'

/**
 * Reads multipart/form-data as it arrives, with files in memory. A file over its `maxFileBytes` is
 * 413 at once. A duplicate field, or a file in a text field, is 400. A list is a field that is given
 * several times, or whose name has brackets, or both.
 */
export async function readMultipart(
  request: Request,
  operation: Operation,
  fields: Readonly<Record<string, z.ZodType>>,
  take: TakeBytes,
): Promise<Readonly<Record<string, unknown>>> {
  const files = Object.keys(operation.maxFileBytes ?? {})
  const result = new Map<string, unknown>()
  let fault: Failure | undefined
  const fail = (found: Failure) => void (fault ??= found)
  // a part may lack a name
  const put = (given: string | undefined, value: unknown) => {
    if (given === undefined) {
      fail(malformed())
      return
    }
    for (const name of given.endsWith('[]') ? [given.slice(0, -2), given] : [given]) {
      if (!Object.hasOwn(fields, name) || fields[name]?.safeParse([]).success !== true) continue
      const earlier = result.get(name)
      result.set(name, [...(Array.isArray(earlier) ? earlier : []), value])
      return
    }
    if (result.has(given)) fail(invalidField(given, 'Given more than once.'))
    result.set(given, value)
  }

  const parser = createParser(
    request,
    {
      // no named file has a larger limit
      fileSize: findFileLimit(operation, ''),
      files: files.length + 1,
      fields: 32,
      parts: 40,
      fieldSize: overhead,
      headerPairs: 32,
    },
    files,
  )
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated)
      fail(tooLarge(`The field ${name.slice(0, 50)} is larger than ${overhead} bytes.`))
    put(name, value)
  })
  parser.on('file', (name, stream) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const limit = findFileLimit(operation, name)
    stream.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= limit) chunks.push(chunk)
      else fail(tooLarge(`The file is larger than ${limit} bytes.`))
    })
    stream.on('error', () => fail(malformed()))
    stream.on('limit', () => fail(tooLarge(`The file is larger than ${limit} bytes.`)))
    stream.on('end', () => {
      if (!files.includes(name)) fail(invalidField(name, 'Expected a text, found a file.'))
      put(name, joinBytes(chunks))
    })
  })
  for (const [event, what] of [
    ['filesLimit', 'files'],
    ['fieldsLimit', 'fields'],
    ['partsLimit', 'parts'],
  ] as const) {
    parser.on(event, () =>
      fail(invalidInput(`The form has too many ${what}.`, { _errors: [`Too many ${what}.`] })),
    )
  }
  // a truncated body can leave the parser waiting forever
  const ended = new Promise<void>((resolve) => {
    parser.on('error', () => {
      fail(malformed())
      resolve()
    })
    parser.on('finish', resolve)
    parser.on('close', resolve)
  })

  for await (const chunk of readLimitedBody(request, operation, take)) {
    if (fault !== undefined) break
    await Promise.race([new Promise((resolve) => parser.write(chunk, resolve)), ended])
  }
  if (fault === undefined) {
    parser.end()
    await Promise.race([ended, sleep(5_000)])
    if (!parser.writableFinished) fail(malformed())
  } else parser.destroy()
  if (fault !== undefined) throw new HttpError(fault)
  return Object.fromEntries(result)
}

function createParser(
  request: Request,
  limits: Readonly<Record<string, number>>,
  files: readonly string[],
) {
  try {
    return new Busboy({
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      limits,
      // a client may send a file without a name or a type
      isPartAFile: (name, contentType, fileName) =>
        fileName !== undefined ||
        contentType === 'application/octet-stream' ||
        (name !== undefined && files.includes(name)),
    })
  } catch {
    throw new HttpError(malformed())
  }
}

function malformed(): Failure {
  return invalidInput('The body is not well-formed multipart/form-data.', {
    _errors: ['Expected multipart/form-data with a boundary, ended by it.'],
  })
}
