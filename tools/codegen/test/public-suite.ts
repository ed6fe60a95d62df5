import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../src/document/json.js'
import type { Json } from '../src/ir/schema.js'

/** One schema of the public suite, in the words of 2020-12, with the values that it checks. */
export type Group = {
  readonly file: string
  readonly description: string
  /** Not what every implementation has to do: kept in a folder `optional`. */
  readonly optional: boolean
  readonly schema: Json
  readonly tests: readonly {
    readonly description: string
    readonly data: Json
    readonly valid: boolean
  }[]
}

/**
 * Where we differ from the suite. A schema that a document alone cannot express, or that means
 * something else in OpenAPI, is `foreign`: it says nothing about a generator.
 */
export type Exception = {
  readonly says?: string
  readonly because: string
  readonly foreign?: true
}

const absent: Exception = {
  says: 'FB2002',
  because: 'another file of the suite, which is not beside the document',
  foreign: true,
}
const remote: Exception = {
  says: 'FB2003',
  because: 'a document that is not at hand is fetched only with --allow-refs',
  foreign: true,
}

const annotation: Exception = {
  because: 'a format is a rule here: those who write one in an OpenAPI document mean it',
}
const mapped: Exception = {
  because: 'a name is judged as it is written, not after the mapping of UTS 46',
}
const directed: Exception = {
  because: 'the direction of a character is in no table of JavaScript (RFC 5893)',
}

/**
 * What we do not say as the suite does. A schema that is rejected stands here with the code of its
 * diagnostic: nothing is left out in silence.
 */
const exceptions: Readonly<Record<string, Exception>> = {
  'definitions: valid definition': remote,
  'definitions: invalid definition': remote,
  'ref: remote ref, containing refs itself': remote,
  'refRemote: remote ref': remote,
  'refRemote: fragment within remote ref': remote,
  'refRemote: ref within remote ref': remote,
  'refRemote: change resolution scope': absent,
  'ref: relative pointer ref to array': {
    says: 'FB2001',
    because: 'it points into `items`, which is called `prefixItems` since 2020-12',
    foreign: true,
  },
  'format: validation of URIs, a valid protocol-relative URI': {
    because: 'a `uri` has a scheme; without one it is a `uri-reference`',
  },
  // a checkout of 2020-12
  'dependencies-compatibility': { because: '`dependencies` is no keyword since 2019-09' },
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary, no validation: invalid number, but it still validates':
    { because: 'OpenAPI has one dialect here, whatever `$schema` says', foreign: true },
  'anchor: invalid anchors': remote,
  'defs: validate definition against metaschema': remote,
  'id: Invalid use of fragments in location-independent $id': remote,
  'id: Valid use of empty fragments in location-independent $id': remote,
  'id: Unnormalized $ids are allowed but discouraged': remote,
  'cross-draft: refs to historic drafts are processed as historic drafts': remote,
  'ecmascript-regex: \\a is not an ECMA 262 control escape': remote,
  'ref: URN base URI with f-component': remote,
  'refRemote: anchor within remote ref': remote,
  'refRemote: Location-independent identifier in remote ref': remote,
  'refRemote: remote HTTP ref with different $id': remote,
  'refRemote: remote HTTP ref with different URN $id': remote,
  'refRemote: remote HTTP ref with nested absolute ref': remote,
  'refRemote: base URI change': absent,
  'refRemote: base URI change - change folder': absent,
  'refRemote: base URI change - change folder in subschema': absent,
  'refRemote: root ref in remote ref': absent,
  'refRemote: remote ref with ref to defs': absent,
  'refRemote: retrieved nested refs resolve relative to their URI not $id': absent,
  'dynamicRef: strict-tree schema, guards against misspelled properties': absent,
  'dynamicRef: tests for implementation dynamic anchor and reference link': absent,
  'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first': absent,
  'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first': absent,
  'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor': remote,
  'refRemote: $ref to $ref finds detached $anchor': remote,
  'enum: empty enum': { says: 'FB3003', because: 'nobody means an empty list of values' },
  'idn-hostname: validation of internationalized host names, a zero width space is ignored by the mapping':
    mapped,
  'idn-hostname: validation of internationalized host names, a non-NFC U-label is valid after UTS 46 normalisation':
    mapped,
  'idn-hostname: validation of internationalized host names, a label of 63 fullwidth characters is valid after mapping':
    mapped,
  'idn-hostname: validation of internationalized host names, an ACE prefix produced by the mapping step is decoded as an A-label':
    mapped,
  'idn-hostname: validation of internationalized host names, a label of only Arabic-Indic digits is invalid':
    directed,
  'idn-hostname: validation of internationalized host names, Bidi domain name with a digit-first label is invalid':
    directed,
  'idn-hostname: validation of internationalized host names, label starting with a digit before a right-to-left letter is invalid':
    directed,
  'idn-hostname: validation of internationalized host names, left-to-right label containing a right-to-left letter is invalid':
    directed,
  'idn-hostname: validation of internationalized host names, right-to-left label mixing both digit types is invalid':
    directed,
  'idn-hostname: validation of internationalized host names, A-label that decodes to a Bidi rule violation is invalid':
    directed,
  'zeroTerminatedFloats: some languages do not distinguish between different types of numeric value, a float is not an integer even without fractional part':
    { because: '1.0 is an integer since draft 6' },
}

/** The public suite in the form that npm has: draft 4. */
export const npmSuite = join(
  dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json')),
  'tests',
  'draft4',
)

/**
 * What the environment points to: `tests/draft2020-12` of a checkout of the public suite. No
 * package of npm holds it.
 */
export const checkoutSuite = process.env['JSON_SCHEMA_SUITE']

/**
 * The groups of a folder of the suite in the order of their files; those of npm's draft 4 are put
 * in the words of 2020-12.
 */
export async function readGroups(folder: string): Promise<readonly Group[]> {
  const files = (await readdir(folder, { recursive: true }))
    .filter((file) => file.endsWith('.json'))
    .toSorted()
  const read = files.map(async (file) => {
    const groups = JSON.parse(await readFile(join(folder, file), 'utf8')) as readonly Pick<
      Group,
      'description' | 'schema' | 'tests'
    >[]
    return groups.map(({ description, schema, tests }): Group => ({
      file: basename(file, '.json'),
      description,
      optional: dirname(file) !== '.',
      schema: folder === npmSuite ? convertDraft4(schema) : schema,
      tests,
    }))
  })
  return (await Promise.all(read)).flat()
}

/** The exception for one value of a group, for the whole group, or for its file. */
export function findException(group: Group, test?: string): Exception | undefined {
  if (test?.endsWith('is only an annotation by default')) return annotation
  const rule = `${group.file}: ${group.description}`
  const names = [...(test === undefined ? [] : [`${rule}, ${test}`]), rule, group.file]
  return names
    .map((name) => (Object.hasOwn(exceptions, name) ? exceptions[name] : undefined))
    .find((found) => found !== undefined)
}

/**
 * A schema with an `$id`, so that `#` in it means the schema and not the document that it is a
 * component of.
 */
export function addId(schema: Json, name: number | string): Json {
  if (!isObject(schema) || Object.hasOwn(schema, '$id')) return schema
  return { $id: `https://schemas.example/${name}`, ...schema }
}

/** Draft 4 in the words of 2020-12: what changed is the names, not the meaning. */
function convertDraft4(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(convertDraft4)
  const {
    id,
    items,
    additionalItems,
    dependencies,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    ...rest
  } = schema as {
    readonly [key: string]: Json
  }
  const out: Record<string, Json> = {}
  for (const [key, value] of Object.entries(rest))
    out[key] = key === 'enum' || key === 'default' ? value : convertDraft4(value)
  if (typeof id === 'string') out['$id'] = id
  else if (id !== undefined) out['id'] = convertDraft4(id)
  if (Array.isArray(items)) {
    out['prefixItems'] = items.map(convertDraft4)
    if (additionalItems !== undefined) out['items'] = convertDraft4(additionalItems)
  } else if (items !== undefined) out['items'] = convertDraft4(items)
  if (minimum !== undefined)
    out[exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum'] = minimum
  if (maximum !== undefined)
    out[exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum'] = maximum
  if (typeof dependencies === 'object' && dependencies !== null) {
    const entries = Object.entries(dependencies as Record<string, Json>)
    out['dependentRequired'] = Object.fromEntries(
      entries.filter(([, value]) => Array.isArray(value)),
    )
    out['dependentSchemas'] = Object.fromEntries(
      entries
        .filter(([, value]) => !Array.isArray(value))
        .map(([key, value]) => [key, convertDraft4(value)]),
    )
  }
  return out
}
