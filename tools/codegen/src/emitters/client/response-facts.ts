import {
  contentKind,
  findBodyKind,
  findTextScalar,
  isJson,
  printStreamReader,
} from '../../emit/content.js'
import { code, join, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import { hasBigints, holdsConverted } from '../../emit/values/converted.js'
import type { Api, Content, Response } from '../../ir/api.js'
import { printList } from './records.js'
import type { RuntimeImports } from './runtime-imports.js'
import { printJsonReviver } from './values.js'

/**
 * Media types of success come first, so that a service that negotiates by `accept` prefers them.
 */
export function formatAcceptHeader(responses: readonly Response[]): string {
  const types = responses
    .toSorted(
      ({ status: one }, { status: other }) => Number(!isSuccess(one)) - Number(!isSuccess(other)),
    )
    .flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType))
  return [...new Set(types)].join(', ')
}

function isSuccess(status: Response['status']): boolean {
  return String(status).startsWith('2')
}

const reader = { json: 'readJson', text: 'readString', binary: 'readBytes' } as const

/**
 * The readers of a response by media type. The best match first: the same media type, then one of the same family, then another JSON type,
 * then the full wildcard.
 */
export function printResponse(
  api: Api,
  contents: Response['contents'],
  runtime: RuntimeImports,
): Code {
  if (contents.length === 0) return runtime.decode('nothing')
  if (
    contents.length === 1 &&
    contents[0]?.mediaType === 'application/json' &&
    contentKind(contents[0], api) === 'json' &&
    !holdsConverted(api, contents[0].schema) &&
    !hasBigints(api)
  )
    return runtime.decode('json')
  const types = contents.map((content) => ({
    type: stripMediaParameters(content.mediaType),
    read: printBodyReader(api, content, runtime),
  }))
  return printList(
    types
      .toSorted((one, other) => rank(one.type) - rank(other.type))
      .map(
        ({ type, read }) =>
          code`[${join([literal(type), read, chooseTypeTest(type, runtime)], ', ')}]`,
      ),
  )
}

function printBodyReader(api: Api, content: Content, runtime: RuntimeImports): Code {
  const scalar = findTextScalar(api, content)
  if (scalar === 'number' || scalar === 'boolean')
    return runtime.more('read-scalar')(scalar === 'number' ? 'readNumberText' : 'readBooleanText')
  const read =
    content.stream === undefined
      ? runtime.decode(reader[findBodyKind(content, api)])
      : printStreamReader(content.stream, runtime.more)
  const isParsed = content.stream !== undefined || findBodyKind(content, api) === 'json'
  const revive = isParsed
    ? printJsonReviver(
        api,
        content.schema,
        runtime.values,
        (name) => code`${runtime.revivers}.${name}`,
      )
    : undefined
  if (revive === undefined) return read
  return code`/* @__PURE__ */ ${runtime.values.revive}.${content.stream === undefined ? 'readRevived' : 'readRevivedItems'}(${read}, ${revive})`
}

function rank(type: string): number {
  if (type === '*/*') return 3
  return isJson(type) ? 2 : Number(type.endsWith('/*'))
}

function chooseTypeTest(type: string, runtime: RuntimeImports): Code | undefined {
  if (type.endsWith('/*')) return runtime.decode('isOfFamily')
  if (isJson(type)) return runtime.decode('isJson')
  return aliased.test(type) ? runtime.decode('isSameFormat') : undefined
}

/** Formats whose media types are written in several ways. */
const aliased =
  /^(?:application|text)\/(?:x-|vnd\.)?(?:ndjson|jsonl|json-?lines|xml|yaml|csv|javascript)$/

/** A media type without parameters. */
function stripMediaParameters(mediaType: string): string {
  return mediaType.replace(/;.*/s, '').trim().toLowerCase()
}
