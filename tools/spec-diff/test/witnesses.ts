import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApi, formatDiagnostic, loadDocument, type Api } from '@farebox/codegen'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { adaptIfPossible } from '../src/adapt/adapt-value.js'
import type { Change } from '../src/change/change.js'
import { compareApi } from '../src/compare/contracts.js'
import { createSides } from '../src/values/side.js'
import { worse, type Verdict } from '../src/change/verdict.js'
import { hopsOfAll, witnessFinder } from '../src/witness/find-witness.js'
import type { Json, JsonSchema } from './random-schemas.js'

/**
 * The schemas of two versions: those that each operation takes and gives, and those that they
 * refer to.
 */
export type Pair = { readonly before: JsonSchema; readonly after: JsonSchema }
export type Shared = {
  readonly before: Readonly<Record<string, JsonSchema>>
  readonly after: Readonly<Record<string, JsonSchema>>
}

/**
 * A value that one version takes and the other refuses, where the diff says that this breaks no
 * validator.
 */
export type Oversight = Pair & { readonly direction: 'request' | 'response'; readonly value: Json }

/** `alarms`: changes that are called breaking, although none of the values shows it. */
export type Findings = {
  readonly oversights: readonly Oversight[]
  readonly witnesses: number
  readonly alarms: number
}

/**
 * What the changes of each pair ask of the validators: those of requests, and those of responses.
 */
export async function readVerdicts(
  pairs: readonly Pair[],
  shared: Shared,
): Promise<readonly (readonly [request: Verdict, response: Verdict])[]> {
  const changes = await readChanges(pairs, shared)
  return pairs.map((_, index) => [
    verdictFor(changes, index, 'request'),
    verdictFor(changes, index, 'response'),
  ])
}

/**
 * Holds what the diff says of many pairs of schemas against what an independent validator says of
 * many values.
 */
export async function findOversights(pairs: readonly Pair[], shared: Shared): Promise<Findings> {
  const changes = await readChanges(pairs, shared)
  const oversights: Oversight[] = []
  let [witnesses, alarms] = [0, 0]
  for (const [index, pair] of pairs.entries()) {
    const [old, now] = [validator(pair.before, shared.before), validator(pair.after, shared.after)]
    for (const [direction, from, to] of [
      ['request', old, now],
      ['response', now, old],
    ] as const) {
      const value = values.find((each) => from(each) && !to(each))
      const breaks = verdictFor(changes, index, direction) === 'major'
      if (value !== undefined) witnesses++
      else if (breaks) alarms++
      if (value !== undefined && !breaks) oversights.push({ ...pair, direction, value })
    }
  }
  return { oversights, witnesses, alarms }
}

/** A value that our own search finds for a pair, and what an independent validator says of it. */
export type Found = {
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
  shared: Shared,
): Promise<readonly { readonly exists: boolean; readonly found?: Found }[]> {
  const list = (which: 'before' | 'after') =>
    read(
      pairs.map((pair) => pair[which]),
      shared[which],
    )
  const [before, after] = [await list('before'), await list('after')]
  const sides = createSides(before, after)
  const findWitness = witnessFinder(hopsOfAll)
  return pairs.map((pair, index) => {
    const [old, now] = [validator(pair.before, shared.before), validator(pair.after, shared.after)]
    const exists = values.some((each) => old(each) && !now(each))
    const findSchema = (api: Api) =>
      api.operations.find(({ id }) => id === `op${index}`)?.body?.contents[0]?.schema
    const [one, other] = [findSchema(before), findSchema(after)]
    if (one === undefined || other === undefined) throw new Error(`op${index} has no body`)
    const value = findWitness(
      { schema: one, resolve: sides.base.resolve },
      { schema: other, resolve: sides.head.resolve },
    )
    return value === undefined
      ? { exists }
      : { exists, found: { value, acceptedByBefore: old(value), acceptedByAfter: now(value) } }
  })
}

/** A value of the older version as the newer one has it, and what an independent validator says. */
export type Adapted = {
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
  shared: Shared,
): Promise<readonly Adapted[]> {
  const list = (which: 'before' | 'after') =>
    read(
      pairs.map((pair) => pair[which]),
      shared[which],
    )
  const [before, after] = [await list('before'), await list('after')]
  const { base, head } = createSides(before, after)
  return pairs.flatMap((pair, index) => {
    const [old, now] = [validator(pair.before, shared.before), validator(pair.after, shared.after)]
    const findSchema = (api: Api) =>
      api.operations.find(({ id }) => id === `op${index}`)?.body?.contents[0]?.schema
    const [from, to] = [findSchema(before), findSchema(after)]
    if (from === undefined || to === undefined) throw new Error(`op${index} has no body`)
    return values
      .filter((given) => old(given))
      .map((given): Adapted => {
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

async function readChanges(pairs: readonly Pair[], shared: Shared): Promise<readonly Change[]> {
  const before = await read(
    pairs.map((pair) => pair.before),
    shared.before,
  )
  const after = await read(
    pairs.map((pair) => pair.after),
    shared.after,
  )
  return compareApi(before, after)
}

function verdictFor(
  changes: readonly Change[],
  index: number,
  direction: 'request' | 'response',
): Verdict {
  const relevant = changes.filter(
    (change) => change.direction === direction && change.operations.includes(`op${index}`),
  )
  return relevant.map(({ verdicts }) => verdicts.zod).reduce(worse, 'none')
}

function validator(
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
