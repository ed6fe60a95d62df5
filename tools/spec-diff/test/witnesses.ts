import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  buildApi,
  formatDiagnostic,
  loadDocument,
  type Api,
  type Schema,
} from '@farebox/codegen/model'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { adaptIfPossible } from '../src/adapt/adapt-value.js'
import type { Change } from '../src/change/change.js'
import { compareApi } from '../src/compare/contracts.js'
import { createDifferenceSearch } from '../src/difference/find-difference.js'
import type { Solution } from '../src/difference/goal.js'
import { createSides } from '../src/difference/side.js'
import { pickStricter, type Verdict } from '../src/change/verdict.js'
import { hopsOfAll, createWitnessFinder } from '../src/witness/find-witness.js'
import type { Json, JsonSchema } from './random-schemas.js'

/**
 * The schemas of two versions: those that each operation takes and gives, and those that they
 * refer to.
 */
export type Pair = { readonly before: JsonSchema; readonly after: JsonSchema }
export type SharedSchemas = {
  readonly before: Readonly<Record<string, JsonSchema>>
  readonly after: Readonly<Record<string, JsonSchema>>
}

/**
 * A value that one version takes and the other rejects, where the diff says that this breaks no
 * validator.
 */
export type Oversight = Pair & { readonly direction: 'request' | 'response'; readonly value: Json }

/**
 * `witnesses`: how many pairs and directions have a value that breaks. `alarms`: those that are called
 * breaking, although neither the listed values nor the search has such a value.
 */
export type Findings = {
  readonly oversights: readonly Oversight[]
  readonly witnesses: number
  readonly alarms: readonly Omit<Oversight, 'value'>[]
}

/**
 * What the changes of each pair ask of the validators: those of requests, and those of responses.
 */
export async function readVerdicts(
  pairs: readonly Pair[],
  shared: SharedSchemas,
): Promise<readonly (readonly [request: Verdict, response: Verdict])[]> {
  const changes = compareApi(...(await readVersions(pairs, shared)))
  return pairs.map((_, index) => [
    findZodVerdict(changes, index, 'request'),
    findZodVerdict(changes, index, 'response'),
  ])
}

/**
 * Holds what the diff says of many pairs of schemas against what an independent validator says of
 * many values.
 */
export async function findOversights(
  pairs: readonly Pair[],
  shared: SharedSchemas,
): Promise<Findings> {
  const [before, after] = await readVersions(pairs, shared)
  const changes = compareApi(before, after)
  const sides = createSides(before, after)
  const findWitness = createWitnessFinder(hopsOfAll)
  const oversights: Oversight[] = []
  const alarms: Omit<Oversight, 'value'>[] = []
  let witnesses = 0
  for (const [index, pair] of pairs.entries()) {
    const [old, now] = [
      compileValidator(pair.before, shared.before),
      compileValidator(pair.after, shared.after),
    ]
    const [one, other] = [
      { schema: findBody(before, index), resolve: sides.base.resolve },
      { schema: findBody(after, index), resolve: sides.head.resolve },
    ]
    for (const [direction, from, to, accepting, rejecting] of [
      ['request', old, now, one, other],
      ['response', now, old, other, one],
    ] as const) {
      const breaks = findZodVerdict(changes, index, direction) === 'major'
      const listed = values.find((each) => from(each) && !to(each))
      const found = listed === undefined && breaks ? findWitness(accepting, rejecting) : listed
      const isOne = found !== undefined && from(found) && !to(found)
      if (isOne) witnesses++
      if (isOne && !breaks) oversights.push({ ...pair, direction, value: found })
      if (!isOne && breaks && !isByConvention(changes, index, direction))
        alarms.push({ ...pair, direction })
    }
  }
  return { oversights, witnesses, alarms }
}

/**
 * Readers may rely on a member of a response, whether or not it was required. And a named schema is
 * compared for all that use it, of which some may accept its values by another part.
 */
function isByConvention(
  changes: readonly Change[],
  index: number,
  direction: 'request' | 'response',
): boolean {
  return changes.some(
    ({ code, operations, subject, witness }) =>
      operations.includes(`op${index}`) &&
      ((direction === 'response' && code === 'response-property-removed') ||
        (subject.kind === 'schema' && witness !== undefined)),
  )
}

/** A value that our own search finds for a pair, and what an independent validator says of it. */
export type CheckedWitness = {
  readonly value: Json
  readonly acceptedByBefore: boolean
  readonly acceptedByAfter: boolean
}

/**
 * For each pair: a request that was valid and is not, if the list of values has one, and the value
 * that our search finds.
 */
export async function searchWitnesses(
  pairs: readonly Pair[],
  shared: SharedSchemas,
): Promise<readonly { readonly exists: boolean; readonly found?: CheckedWitness }[]> {
  const [before, after] = await readVersions(pairs, shared)
  const sides = createSides(before, after)
  const findWitness = createWitnessFinder(hopsOfAll)
  return pairs.map((pair, index) => {
    const [old, now] = [
      compileValidator(pair.before, shared.before),
      compileValidator(pair.after, shared.after),
    ]
    const exists = values.some((each) => old(each) && !now(each))
    const [one, other] = [findBody(before, index), findBody(after, index)]
    const value = findWitness(
      { schema: one, resolve: sides.base.resolve },
      { schema: other, resolve: sides.head.resolve },
    )
    return value === undefined
      ? { exists }
      : { exists, found: { value, acceptedByBefore: old(value), acceptedByAfter: now(value) } }
  })
}

/** What the search for differences says of a pair, and what speaks against it. */
export type SearchedPair = Pair & {
  readonly solution: Solution
  /** A value that an independent validator accepts before and rejects after, of those listed. */
  readonly listed?: Json
  /** Whether the value that was found is such a value. */
  readonly isRight?: boolean
}

/** Searches the differences of each pair, with `steps` for each. */
export async function searchDifferences(
  pairs: readonly Pair[],
  shared: SharedSchemas,
  steps: number,
): Promise<readonly SearchedPair[]> {
  const [before, after] = await readVersions(pairs, shared)
  const { base, head } = createSides(before, after)
  const findDifference = createDifferenceSearch()
  return pairs.map((pair, index): SearchedPair => {
    const [old, now] = [
      compileValidator(pair.before, shared.before),
      compileValidator(pair.after, shared.after),
    ]
    const solution = findDifference(
      { schema: findBody(before, index), resolve: base.resolve },
      { schema: findBody(after, index), resolve: head.resolve },
      { left: steps },
    )
    const listed = values.find((each) => old(each) && !now(each))
    return {
      ...pair,
      solution,
      ...(listed !== undefined && { listed }),
      ...(typeof solution === 'object' && {
        isRight: old(solution.value) && !now(solution.value),
      }),
    }
  })
}

/** A value of the older version as the newer one has it, and what an independent validator says. */
export type AdaptedValue = {
  readonly given: Json
  /** Nothing: it has no counterpart. */
  readonly value?: Json
  /** The newer version accepts the value as it was. */
  readonly acceptedBefore: boolean
  readonly accepted: boolean
}

/** Adapts every listed value that the older schema of a pair accepts to the newer one. */
export async function adaptValues(
  pairs: readonly Pair[],
  shared: SharedSchemas,
): Promise<readonly AdaptedValue[]> {
  const [before, after] = await readVersions(pairs, shared)
  const { base, head } = createSides(before, after)
  return pairs.flatMap((pair, index) => {
    const [old, now] = [
      compileValidator(pair.before, shared.before),
      compileValidator(pair.after, shared.after),
    ]
    const [from, to] = [findBody(before, index), findBody(after, index)]
    return values
      .filter((given) => old(given))
      .map((given): AdaptedValue => {
        const value = adaptIfPossible(
          given,
          { schema: from, resolve: base.resolve },
          { schema: to, resolve: head.resolve },
        )
        const acceptedBefore = now(given)
        return value === undefined
          ? { given, acceptedBefore, accepted: false }
          : { given, value, acceptedBefore, accepted: now(value) }
      })
  })
}

async function readVersions(
  pairs: readonly Pair[],
  shared: SharedSchemas,
): Promise<readonly [before: Api, after: Api]> {
  const list = (which: 'before' | 'after') =>
    read(
      pairs.map((pair) => pair[which]),
      shared[which],
    )
  return [await list('before'), await list('after')]
}

function findBody({ operations }: Api, index: number): Schema {
  const schema = operations.find(({ id }) => id === `op${index}`)?.body?.contents[0]?.schema
  if (schema === undefined) throw new Error(`op${index} has no body`)
  return schema
}

function findZodVerdict(
  changes: readonly Change[],
  index: number,
  direction: 'request' | 'response',
): Verdict {
  const relevant = changes.filter(
    (change) => change.direction === direction && change.operations.includes(`op${index}`),
  )
  return relevant.map(({ verdicts }) => verdicts.zod).reduce(pickStricter, 'none')
}

function compileValidator(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): ValidateFunction {
  return ajv.compile({ components: { schemas }, allOf: [schema] })
}

const ajv = new Ajv2020({
  strict: false,
  logger: false,
  validateSchema: false,
  addUsedSchema: false,
})

/**
 * A document with an operation for each schema, which takes it as its body and gives it as its
 * answer.
 */
async function read(
  list: readonly JsonSchema[],
  schemas: Readonly<Record<string, JsonSchema>>,
): Promise<Api> {
  const operation = (schema: JsonSchema, index: number) => {
    const content = { 'application/json': { schema } }
    return {
      operationId: `op${index}`,
      requestBody: { required: true, content },
      responses: { 200: { description: 'Done', content } },
    }
  }
  const paths = Object.fromEntries(
    list.map((schema, index) => [`/p${index}`, { post: operation(schema, index) }]),
  )
  const cwd = await mkdtemp(join(tmpdir(), 'spec-diff-witnesses-'))
  try {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Random', version: '1' },
      paths,
      components: { schemas },
    }
    await writeFile(join(cwd, 'openapi.json'), JSON.stringify(document))
    const loaded = await loadDocument('openapi.json', { cwd })
    const built = loaded.document && buildApi(loaded.document)
    if (built?.api === undefined)
      throw new Error(
        [...loaded.diagnostics, ...(built?.diagnostics ?? [])].map(formatDiagnostic).join('\n'),
      )
    return built.api
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

const scalars: readonly Json[] = [null, true, '', 'a', 'ab', 'abc', 'abcd', 0, 1, 2, 3, 4, 1.5]
const inner: readonly (Json | undefined)[] = [undefined, 'a', 'abc', 1, 3, null, {}]
const nested: readonly Json[] = [{ a: 'a' }, { a: 'a', b: 1 }, { b: 'abc' }, ['a'], []]

/** Small values of all that random schemas speak of. */
export const values: readonly Json[] = [
  ...scalars,
  ...inner.flatMap((a) =>
    inner.flatMap((b) =>
      [undefined, 'a', 1].map((c) =>
        Object.fromEntries(
          Object.entries({ a, b, c }).filter(
            (entry): entry is [string, Json] => entry[1] !== undefined,
          ),
        ),
      ),
    ),
  ),
  ...nested.flatMap((item) => [{ a: item }, { b: item, a: 'a' }, [item], [item, 'a'], { x: item }]),
  [],
  ...scalars.map((item) => [item]),
  ['a', 'ab'],
  ['a', 1],
  [1, 2, 3],
  ['a', 'a', 'a', 'a'],
]
