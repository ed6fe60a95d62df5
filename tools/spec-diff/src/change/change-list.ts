import type { Api } from '@farebox/codegen/model'
import { adaptIfPossible } from '../adapt/adapt-value.js'
import { findVerdicts, type Code } from './catalogue.js'
import {
  type ChangeFacts,
  type Change,
  type Direction,
  findPlace,
  hash,
  type Witness,
} from './change.js'
import { createComparisons, findOrAdd, type CompareOnce } from './comparisons.js'
import type { Verdicts } from './verdict.js'
import type { FindDifference } from '../difference/find-difference.js'
import { createWitnessFinder, type FindWitness } from '../witness/find-witness.js'

type Origin = Api['schemas'][number]['origin']

/** A place in one of the two documents. */
export type Spot = { readonly side: 'base' | 'head'; readonly origin: Origin }

type Sides = { readonly base: Api; readonly head: Api }

/** Collects changes, each once, with all operations that it affects. */
export type ChangeList = {
  readonly note: (code: Code, sentence: string, spot: Spot, about: ChangeFacts) => void
  readonly all: () => readonly Change[]
  /** Whether a change of this kind was reported for an operation and a direction. */
  readonly reported: (
    operation: string | undefined,
    direction: Direction,
    has: (verdicts: Verdicts) => boolean,
  ) => boolean
  /** Searches for a value that shows a change, within the remaining limit. */
  readonly findWitness: FindWitness
  readonly compareOnce: CompareOnce
}

type NotedChange = {
  readonly code: Code
  readonly sentence: string
  readonly spot: Spot
  readonly about: ChangeFacts
  readonly operations: Set<string>
}

/** `hops`: how many references the search for witnesses may follow. */
export function createChangeList(
  sides: Sides,
  hops: number,
  findDifference?: FindDifference,
): ChangeList {
  const findWitness = createWitnessFinder(hops, findDifference)
  const changes = new Map<string, NotedChange>()
  const codes = new Map<string, Set<Code>>()
  const findCodes = (direction: Direction, operation: string | undefined): Set<Code> =>
    findOrAdd(codes, `${direction} ${operation ?? ''}`, () => new Set())
  const affect = (noted: NotedChange, operation: string | undefined): void => {
    const { code, about, operations } = noted
    findCodes(about.direction, undefined).add(code)
    if (operation === undefined) return
    operations.add(operation)
    findCodes(about.direction, operation).add(code)
  }
  const { compareOnce, add } = createComparisons(affect)
  return {
    findWitness,
    compareOnce,
    note: (code, sentence, spot, about) => {
      const { file, pointer } = spot.origin
      const key = JSON.stringify([code, sentence, spot.side, file, pointer])
      const noted = findOrAdd(changes, key, (): NotedChange => ({
        code,
        sentence,
        spot,
        about,
        operations: new Set(),
      }))
      affect(noted, about.operation)
      add(noted)
    },
    reported: (operation, direction, has) =>
      [...findCodes(direction, operation)].some((code) => has(findVerdicts(code))),
    all: () => [...changes.values()].map((noted) => createChange(noted, sides, findWitness)),
  }
}

/** The witness is searched on first use: a short report prints few of them. */
function createChange(
  { code, sentence, spot, about, operations }: NotedChange,
  sides: Sides,
  findWitness: FindWitness,
): Change {
  const { direction, subject, from, to } = about
  let found: { readonly witness: Witness | undefined } | undefined
  const search = () => (found ??= { witness: searchWitness(code, about, findWitness) }).witness
  return {
    id: `${code}-${hash(describeOutcome(sentence))}`,
    code,
    sentence,
    place: findPlace(spot.side, sides[spot.side].locate(spot.origin)),
    direction,
    subject,
    verdicts: findVerdicts(code),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    get witness() {
      return search()
    },
    get adapter() {
      return chooseAdapter(code, about, search)
    },
    ...toRenames(about, sides),
    operations: [...operations].toSorted(),
  }
}

/** `the limit was 3 and is 5 now` and `was 4 and is 5 now` describe the same newer document. */
function describeOutcome(sentence: string): string {
  return sentence.replace(/ was .* and (?=(?:is|may be) )/s, ' ')
}

function toRenames(
  { possibleRenames = [] }: ChangeFacts,
  sides: Sides,
): Pick<Change, 'possibleRenames'> {
  if (possibleRenames.length === 0) return {}
  return {
    possibleRenames: possibleRenames.map(({ origin, ...rest }) => ({
      ...rest,
      place: findPlace('head', sides.head.locate(origin)),
    })),
  }
}

/** Whether an adapter hides a change that breaks callers. It adapts only JSON bodies. */
function chooseAdapter(
  code: Code,
  { schemas }: ChangeFacts,
  search: () => Witness | undefined,
): Change['adapter'] {
  if (findVerdicts(code).client !== 'major' || sameOnTheWire.has(code)) return undefined
  const witness = search()
  if (witness?.adapted !== undefined) return 'hides'
  return schemas !== undefined && witness === undefined ? 'unknown' : 'cannot'
}

/** Changes of the generated code that affect no request or response. */
const sameOnTheWire = new Set<Code>([
  'operation-id-changed',
  'operation-template-renamed',
  'request-field-renamed',
  'request-body-flattening-changed',
])

/**
 * For a breaking change: a request that was valid, or a response that was not. For a schema that no
 * operation uses, a value that only one version accepts.
 */
function searchWitness(
  code: Code,
  { direction, schemas }: ChangeFacts,
  findWitness: FindWitness,
): Witness | undefined {
  if (schemas === undefined || findVerdicts(code).zod !== 'major') return undefined
  const search = (acceptedBy: 'base' | 'head'): Witness | undefined => {
    const [accepting, rejecting] = [schemas[acceptedBy], schemas[otherSide[acceptedBy]]]
    const value = findWitness(accepting, rejecting)
    if (value === undefined) return undefined
    const adapted = adaptIfPossible(value, accepting, rejecting)
    return { value, acceptedBy, ...(adapted !== undefined && { adapted }) }
  }
  if (direction === 'request') return search('base')
  return direction === 'response' ? search('head') : (search('base') ?? search('head'))
}

const otherSide = { base: 'head', head: 'base' } as const
