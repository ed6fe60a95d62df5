import { computeMedian } from '../measure.js'

/**
 * What a generator did with a document: seconds of processor time and the errors of the compiler,
 * or why it failed.
 */
export type Outcome =
  | { readonly cpu: number; readonly errors: readonly string[] }
  | { readonly failed: string }

/** A document with the outcome of each generator, by its name. */
export type DocumentOutcomes = {
  readonly document: string
  readonly outcomes: Readonly<Record<string, Outcome>>
}

/**
 * A row for each generator. Its times are compared with those of ours on the documents for which
 * both generate.
 */
export function sumUp(
  judged: readonly DocumentOutcomes[],
  names: readonly string[],
  ours: string,
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return Object.fromEntries(
    names.map((name) => {
      const outcomes = judged.map((one) => one.outcomes[name])
      const pairs = judged.flatMap(({ outcomes: all }) => {
        const [time, ourTime] = [readTime(all[name]), readTime(all[ours])]
        return time === undefined || ourTime === undefined ? [] : [{ time, ourTime }]
      })
      const times = pairs.map(({ time }) => time)
      const ourTimes = pairs.map(({ ourTime }) => ourTime)
      return [
        name,
        {
          documents: outcomes.length,
          generated: outcomes.filter((one) => readTime(one) !== undefined).length,
          compiles: outcomes.filter((one) => one && 'errors' in one && one.errors.length === 0)
            .length,
          'median CPU, s': round(computeMedian(times)),
          'median, to ours': round(computeMedian(times) / computeMedian(ourTimes)),
          'sum, to ours': round(add(times) / add(ourTimes)),
        },
      ]
    }),
  )
}

/** Documents spread evenly over a list, from its first. */
export function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function readTime(outcome: Outcome | undefined): number | undefined {
  return outcome && 'cpu' in outcome ? outcome.cpu : undefined
}

function add(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

function round(number: number): number {
  return Math.round(number * 100) / 100
}
