import * as fc from 'fast-check'
import { createMaker } from './candidates.js'
import { accepts } from './accepts.js'
import type { Lookup, Node } from './node.js'

/** Generators of values for one schema. Both shrink. */
export type Arbitraries<T> = {
  /**
   * Values that the schema accepts. @throws Error when it is first read, if no value is known, and
   * while values are drawn, if ten thousand in a row were not valid.
   */
  readonly valid: fc.Arbitrary<T>
  /** Values with one fault, such as a bound exceeded by one. Absent if none is rejected. */
  readonly nearMiss: fc.Arbitrary<unknown> | undefined
}

/** Makes arbitraries of nodes. Names are looked up in one document. All are lazy. */
export function createArbitraries(lookup: Lookup): <T>(node: Node) => Arbitraries<T> {
  const maker = createMaker(lookup)
  return <T>(node: Node): Arbitraries<T> => ({
    get valid() {
      const arbitrary = maker.valid(node, 0)
      if (arbitrary === undefined)
        throw new Error(
          `No value is known of ${describeNode(node, lookup)}. It may reject every value: look at it in the document.`,
        )
      return filterOrThrow(
        arbitrary,
        (value) => accepts(node, value, lookup),
        'a valid value',
      ) as fc.Arbitrary<T>
    },
    get nearMiss() {
      const arbitrary = maker.faulty(node, 0)
      const isRejected = (value: unknown): boolean => !accepts(node, value, lookup)
      // a schema that accepts everything has none
      const isKnown =
        arbitrary !== undefined &&
        [4, 1000].some((numRuns) => fc.sample(arbitrary, { numRuns, seed: 1 }).some(isRejected))
      return isKnown ? filterOrThrow(arbitrary, isRejected, 'a near miss') : undefined
    },
  })
}

function describeNode(node: Node, lookup: Lookup): string {
  const target = node.kind === 'ref' ? lookup.node(node.name) : node
  const name = node.kind === 'ref' ? ` ${node.name}` : ''
  const rule =
    target.kind === 'string' && target.pattern ? ` with the pattern ${target.pattern}` : ''
  return `the schema${name} of the kind ${target.kind}${rule}`
}

const patience = 10_000

/** Keeps the values that pass, and fails after a limited number of tries. */
function filterOrThrow(
  all: fc.Arbitrary<unknown>,
  holds: (value: unknown) => boolean,
  what: string,
): fc.Arbitrary<unknown> {
  let misses = 0
  return all.filter((value) => {
    misses = holds(value) ? 0 : misses + 1
    if (misses > patience)
      throw new Error(
        `None of ${patience} values was ${what}. Its rules may exclude each other, or be too narrow to be met by chance.`,
      )
    return misses === 0
  })
}
