import { fileURLToPath } from 'node:url'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expected } from '@farebox/command-line'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** A row for each project, with a value for each column. */
type Table = Readonly<Record<string, object>>

/** Prints a table. With a name, it also keeps it where the site reads what its charts show. */
export function showTable(table: Table, name: string | false): void {
  console.table(table)
  if (name !== false) keepTable(table, name)
}

/** Keeps a table where the site reads what its charts show, with the Node if it is a newer one. */
export function keepTable(table: Table, name: string): void {
  const folder = join(root, 'tools/internal/bench/results')
  mkdirSync(folder, { recursive: true })
  const major = Number.parseInt(process.versions.node, 10)
  const suffix = major > 20 ? `-node${major}` : ''
  writeFileSync(join(folder, `${name}${suffix}.json`), `${JSON.stringify(table, undefined, 2)}\n`)
}

/** The parties by name. A result of `false` or '' means that one did not do its work. */
export type Parties<Name extends string> = Readonly<Record<Name, () => unknown>>

type TurnOptions = {
  readonly rounds: number
  /** Rounds that are not counted. Default: a quarter of the rounds. */
  readonly warmUp?: number
  /** How often a party runs in its turn. Default: once. */
  readonly calls?: number
}

/**
 * Milliseconds of one run of each party: the median of the rounds. Every party has one turn in each
 * round, and another one goes first each time, so that no party gains by its place.
 */
export async function takeTurns<Name extends string>(
  parties: Parties<Name>,
  options: TurnOptions,
): Promise<Readonly<Record<Name, number>>> {
  const { rounds, warmUp = Math.ceil(rounds / 4), calls = 1 } = options
  const times = (Object.keys(parties) as Name[]).map((name) => ({
    name,
    run: parties[name],
    all: [] as number[],
  }))
  for (let round = 0; round < warmUp + rounds; round++) {
    const first = round % times.length
    for (const { name, run, all } of [...times.slice(first), ...times.slice(0, first)]) {
      const start = performance.now()
      for (let call = 0; call < calls; call++) {
        const result = await run()
        if (result === false || result === '') throw new Error(`${name} did not do its work`)
      }
      if (round >= warmUp) all.push((performance.now() - start) / calls)
    }
  }
  return Object.fromEntries(times.map(({ name, all }) => [name, computeMedian(all)])) as Record<
    Name,
    number
  >
}

export function computeMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}

/** The number of rounds that a command line asks for in its first argument. */
export function parseRounds([given]: readonly string[], otherwise: number): number {
  const rounds = Number(given ?? otherwise)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw expected('ROUNDS', given ?? '', 'an integer of 1 or more')
  return rounds
}
