import { findDelimiter } from '../client/text.js'
import type { ContentFacts, Source } from './operation-facts.js'
import { createRejection, readAllBytes, isJson } from './read-body.js'
import { RejectedRequest } from './rejected-request.js'
import { findFieldShape, findItemShape, listLeaves, parseValue, type Shape } from './shape.js'

/**
 * Reads `multipart/form-data`. A file is a File. A part is JSON where its encoding or its own
 * Content-Type says so, and so is a record.
 */
export async function readMultipart(
  source: Source,
  { shape = any, encoding = {} }: ContentFacts,
): Promise<unknown> {
  const { form, types } = await readFormData(source)
  const leaves = listLeaves(shape, source.shapes)
  const found = new Map<string, Part[]>()
  // without the iterators of the library, which a program may not have
  form.forEach((value, name) => {
    const own = found.get(name) ?? []
    found.set(name, own)
    own.push({ value, type: types.get(name)?.[own.length] ?? '' })
  })
  const fields = {}
  for (const [name, parts] of found) {
    const of = findFieldShape(leaves, name) ?? any
    const value = await decodeParts(parts, name, of, encoding[name] ?? {}, source)
    Object.defineProperty(fields, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return fields
}

const any: Shape = { kind: 'any' }

/** `type`: what the part itself states. */
type Part = { readonly value: File | string; readonly type: string }

async function decodeParts(
  parts: readonly Part[],
  name: string,
  shape: Shape,
  encoding: Parameters<typeof findDelimiter>[0] & { readonly contentType?: string },
  { shapes }: Source,
): Promise<unknown> {
  const { contentType: declared = '' } = encoding
  const leaves = listLeaves(shape, shapes)
  const read = async ({ value, type }: Part, of: Shape): Promise<unknown> => {
    const isFile = typeof value !== 'string'
    if (isFile && (!isJson(type) || listLeaves(of, shapes).scalars.some(isFileShape))) return value
    if (isFile || isJson(declared) || isJson(type))
      return parsePart(isFile ? await value.text() : value, name)
    return parseValue(value, of, shapes)
  }
  const isWhole =
    isJson(declared) ||
    (parts.length === 1 &&
      listLeaves(findItemShape(leaves, 0), shapes).lists.length === 0 &&
      (await isList(parts[0])))
  const isListed =
    leaves.lists.length > 0 && !isWhole && (parts.length > 1 || leaves.scalars.length === 0)
  const delimiter = findDelimiter(encoding)
  const joined = parts.length === 1 ? parts[0]?.value : undefined
  if (isListed && delimiter !== undefined && typeof joined === 'string')
    return joined
      .split(delimiter)
      .map((item, index) => parseValue(item, findItemShape(leaves, index), shapes))
  if (isListed)
    return Promise.all(parts.map(async (part, index) => read(part, findItemShape(leaves, index))))
  if (parts.length > 1) return Promise.all(parts.map(async (part) => read(part, any)))
  const [first] = parts
  return first && read(first, shape)
}

function isFileShape({ kind }: Shape): boolean {
  return kind === 'file'
}

/** Whether a part is a whole list of JSON. */
async function isList(part: Part | undefined): Promise<boolean> {
  if (part === undefined || !isJson(part.type)) return false
  return /^\s*\[/.test(typeof part.value === 'string' ? part.value : await part.value.text())
}

function parsePart(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new RejectedRequest(400, [
      { where: `body.${name}`, found: 'broken JSON', expected: 'JSON' },
    ])
  }
}

async function readFormData(source: Source): Promise<{
  readonly form: FormData
  readonly types: ReadonlyMap<string, readonly string[]>
}> {
  const type = source.request.headers.get('content-type') ?? ''
  const bytes = await readAllBytes(source)
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    return { form, types: readPartTypes(bytes, type) }
  } catch {
    throw createRejection('broken parts', 'multipart/form-data')
  }
}

/** The types that parts state, by their names, which a FormData has of files only. */
function readPartTypes(bytes: Uint8Array, type: string): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>()
  const [, quoted, boundary = quoted] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? []
  const decoder = new TextDecoder()
  let head: string[] | undefined
  for (let start = 0; start < bytes.byteLength;) {
    const feed = bytes.indexOf(10, start)
    const end = feed === -1 ? bytes.byteLength : feed
    // a line of a head or a delimiter is short
    const line = decoder.decode(bytes.subarray(start, Math.min(end, start + 8192))).trimEnd()
    start = end + 1
    if (line === `--${boundary}`) head = []
    else if (line !== '') head?.push(line)
    else if (head !== undefined) {
      const name = findHeader(head, /^content-disposition:.*?;\s*name="([^"]*)"/i)
      const own = types.get(unescapeName(name)) ?? []
      types.set(unescapeName(name), own)
      own.push(findHeader(head, /^content-type:\s*(.*)/i))
      head = undefined
    }
  }
  return types
}

function findHeader(head: readonly string[], pattern: RegExp): string {
  return head.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? ''
}

/** Names are escaped as browsers do (HTML, "multipart/form-data encoding algorithm"). */
function unescapeName(name: string): string {
  return name.replace(/%0D/gi, '\r').replace(/%0A/gi, '\n').replace(/%22/g, '"')
}
