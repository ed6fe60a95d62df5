// node dist/corpus/judge.js DOCUMENT FOLDER VALUES OPERATIONS SEED: prints the report of one document.
import { readFile } from 'node:fs/promises'
import { argv, exit, stdout } from 'node:process'
import * as fc from 'fast-check'
import swagger2openapi from 'swagger2openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  pointerTo,
  valueAt,
} from '../document/json.js'
import { loadOutputs, type Outputs, type ServerFacts } from './outputs.js'
import { type Effort, type Failure, type Judge, roundTrip } from './round-trip.js'

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'])

const [file = '', folder = '', values = '2', operations = '40', seed = '1'] = argv.slice(2)
const effort = { values: Number(values), operations: Number(operations), seed: Number(seed) }
const written = JSON.parse(await readFile(file, 'utf8')) as Json
const root =
  readOwn(written, 'swagger') === undefined
    ? written
    : ((
        await swagger2openapi.convertObj(written as never, {
          patch: true,
          warnOnly: true,
          anchors: true,
        })
      ).openapi as unknown as Json)
const judge = createJudge(JSON.parse(JSON.stringify(root)) as Json)
const outputs = await loadOutputs(folder)
const report = await roundTrip(outputs, effort, judge.request)
const failures = [...report.failures, ...judgeSchemas(outputs, judge, effort)]
// exits, because a server or a stream may still be open
stdout.write(JSON.stringify({ ...report, failures }), () => exit(0))

/** Checks that the validators and Ajv agree on values of the named schemas, and on near misses. */
function judgeSchemas(
  { schemas, validators }: Outputs,
  { keys, accepts }: DocumentJudge,
  { values, operations, seed }: Effort,
): readonly Failure[] {
  const failures: Failure[] = []
  for (const key of keys.slice(0, operations)) {
    const arbitrary = schemas[key]
    const validator = validators[key]
    if (arbitrary === undefined || validator === undefined) continue
    const judge = (value: unknown, isNear: boolean): void => {
      if (holdsBytes(value)) return
      const theirs = accepts(key, value)
      const ours = validator.safeParse(value).success
      // Ajv checks no formats here, so a rejected near miss may have one
      if (theirs === undefined || theirs === ours || (isNear && !ours)) return
      failures.push({
        kind: `validator ${ours ? 'accepts' : 'rejects'}, Ajv differs`,
        operation: key,
        detail: JSON.stringify(value).slice(0, 400),
      })
    }
    try {
      fc.sample(arbitrary.valid, { numRuns: values, seed }).forEach((value) => judge(value, false))
      if (arbitrary.nearMiss !== undefined)
        fc.sample(arbitrary.nearMiss, { numRuns: values * 2, seed }).forEach((value) =>
          judge(value, true),
        )
    } catch (error) {
      failures.push({
        kind: 'arbitraries',
        operation: key,
        detail: error instanceof Error ? error.message.slice(0, 400) : String(error),
      })
    }
  }
  return failures
}

function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array || value instanceof Blob) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBytes)
}

/** Judges by the document. Shares only the code for pointers with the generator. */
type DocumentJudge = {
  readonly request: Judge
  /** Whether a schema of the document accepts a value. Undefined if Ajv cannot compile it. */
  readonly accepts: (key: string, value: unknown) => boolean | undefined
  /** The keys of the named schemas. */
  readonly keys: readonly string[]
}

/** `root`: a document of OpenAPI 3, with references to itself only. */
function createJudge(root: Json): DocumentJudge {
  const isOld = formatScalar(readOwn(root, 'openapi')).startsWith('3.0')
  const document = removeIds(isOld ? toDraft2020(root) : root)
  const ajv = new Ajv2020({
    // 35.3 is a multiple of 0.01, which the remainder of two doubles does not show
    multipleOfPrecision: 9,
    strict: false,
    validateFormats: false,
    logger: false,
  })
  // so that every pointer of the document can be compiled as a schema
  ajv.addSchema({ $id: 'https://corpus.example/document', 'x-document': document }, 'document')
  const compiled = new Map<string, ValidateFunction | undefined>()
  const compile = (pointer: string): ValidateFunction | undefined => {
    if (!compiled.has(pointer)) {
      try {
        compiled.set(pointer, ajv.compile(createSchema(document, pointer)))
      } catch {
        compiled.set(pointer, undefined)
      }
    }
    return compiled.get(pointer)
  }
  const bodies = findBodies(document)
  const schemas = valueAt(document, '/components/schemas')
  return {
    keys: isObject(schemas) ? Object.keys(schemas) : [],
    // Ajv checks no formats here
    accepts: (key, value) =>
      holdsFormat(document, readOwn(schemas, key), new Set())
        ? undefined
        : compile(pointerTo('/components/schemas', key))?.(value),
    request: (operation, parts, { url, init }) => [
      ...judgeUrl(operation, parts, url),
      ...judgeBody(init, bodies.get(`${operation.method} ${operation.path}`), compile),
    ],
  }
}

/** Ajv reads identifiers anywhere, also in examples, and rejects one that is there twice. */
function removeIds(node: Json): Json {
  if (isList(node)) return node.map(removeIds)
  if (!isObject(node)) return node
  const members = Object.entries(node).filter(
    ([name, value]) => name !== '$id' || typeof value !== 'string',
  )
  return Object.fromEntries(members.map(([name, value]) => [name, removeIds(value)]))
}

/** Also behind references. */
function holdsFormat(document: Json, node: Json | undefined, seen: Set<string>): boolean {
  if (isList(node)) return node.some((item) => holdsFormat(document, item, seen))
  if (!isObject(node)) return false
  const ref = readOwn(node, '$ref')
  if (typeof ref === 'string' && !seen.has(ref)) {
    seen.add(ref)
    if (holdsFormat(document, valueAt(document, ref.slice(1)), seen)) return true
  }
  return Object.entries(node).some(
    ([name, value]) =>
      (name === 'format' && typeof value === 'string') || holdsFormat(document, value, seen),
  )
}

/** Creates a schema that refers to a pointer, with the parts of the document that references need. */
function createSchema(document: Json, pointer: string): JsonObject {
  return {
    ...(isObject(document)
      ? {
          components: readOwn(document, 'components') ?? {},
          paths: readOwn(document, 'paths') ?? {},
        }
      : {}),
    $ref: `#${pointer
      .split('/')
      .map((segment) => encodeURIComponent(segment))
      .join('/')}`,
  }
}

/** The pointer of the schema of each body of JSON, by method and path. */
function findBodies(document: Json): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const paths = readOwn(document, 'paths')
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {}))
    for (const method of Object.keys(isObject(item) ? item : {}).filter((key) =>
      methods.has(key),
    )) {
      const at = follow(document, pointerTo('/paths', path, method, 'requestBody'))
      const content = valueAt(document, `${at}/content`)
      const type = Object.keys(isObject(content) ? content : {}).find((key) =>
        /^application\/json\s*(?:;|$)/.test(key),
      )
      if (type !== undefined)
        found.set(`${method.toUpperCase()} ${path}`, pointerTo(`${at}/content`, type, 'schema'))
    }
  return found
}

function follow(document: Json, pointer: string): string {
  const ref = readOwn(valueAt(document, pointer), '$ref')
  return typeof ref === 'string' ? follow(document, ref.slice(1)) : pointer
}

/** Checks a URL by RFC 6570 and the URL standard: parses it, and compares it with the given values. */
function judgeUrl(
  { path, parameters }: ServerFacts,
  parts: Parameters<Judge>[1],
  sent: string,
): readonly string[] {
  const url = new URL(sent)
  const faults: string[] = []
  if (url.hash !== '') faults.push(`a fragment: ${sent}`)
  for (const { name, in: place, style, explode, mediaType } of parameters) {
    if (place !== 'path' && place !== 'query') continue
    const value = parts[place]?.[name]
    if (value === undefined || mediaType !== undefined) continue
    const isScalar = typeof value !== 'object'
    if (place === 'path' && isScalar && style === 'simple') {
      const pattern = path
        .replace(/[?#].*/s, '')
        .split(/(\{[^{}]*\})/)
        .map((piece) => {
          if (piece === `{${name}}`) return escapeRegExp(percentEncode(formatScalar(value)))
          return /^\{.*\}$/.test(piece) ? '.*' : escapeRegExp(encodeURI(tryDecode(piece)))
        })
        .join('')
      if (!new RegExp(`^${pattern}$`, 'u').test(url.pathname))
        faults.push(`path ${name}: ${url.pathname}`)
    }
    if (place === 'query' && style === 'form' && (isScalar || (Array.isArray(value) && explode))) {
      const expected = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(
        formatScalar,
      )
      const others = url.searchParams.getAll(name)
      if (expected.some((one) => !others.includes(one)))
        faults.push(`query ${name}: ${url.search.slice(0, 200)}`)
    }
  }
  return faults
}

/** Encodes all but the unreserved characters of RFC 3986. */
function percentEncode(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9\-._~]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

function tryDecode(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function judgeBody(
  { body, headers }: RequestInit,
  pointer: string | undefined,
  compile: (pointer: string) => ValidateFunction | undefined,
): readonly string[] {
  const type = new Headers(headers).get('content-type') ?? ''
  if (type.includes('*')) return [`the media type ${type}`]
  if (typeof body !== 'string' || pointer === undefined || !type.startsWith('application/json'))
    return []
  const validate = compile(pointer)
  if (validate === undefined || validate(JSON.parse(body))) return []
  const [error] = validate.errors ?? []
  // a request has no read-only property, though it may be required
  if (error?.keyword === 'required') return []
  return [`body${error?.instancePath} ${error?.message}: ${body.slice(0, 200)}`]
}

/** Converts keywords of OpenAPI 3.0 to JSON Schema 2020-12. */
function toDraft2020(node: Json): Json {
  if (isList(node)) return node.map(toDraft2020)
  if (!isObject(node)) return node
  const mapped: Record<string, Json> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, toDraft2020(value)]),
  )
  for (const side of ['Minimum', 'Maximum']) {
    const key = `exclusive${side}`
    const bound = mapped[side.toLowerCase()]
    if (mapped[key] === true && typeof bound === 'number') {
      mapped[key] = bound
      delete mapped[side.toLowerCase()]
    } else if (typeof mapped[key] === 'boolean') delete mapped[key]
  }
  const { nullable, $ref } = mapped
  if (typeof $ref === 'string') return { $ref }
  if (nullable !== true) return mapped
  delete mapped['nullable']
  return { anyOf: [mapped, { type: 'null' }] }
}

/** Formats a scalar. */
function formatScalar(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
