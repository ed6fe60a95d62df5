import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { caseNames, cases, type CaseName, clientPackages } from './cases.js'
import { prepareFolder, runtimes, type Runtime } from './runtimes.js'
import type { Outcome, Outcomes } from './program.js'
import { startServer, type MatrixServer } from './server.js'

type PackageVersion = { readonly name: string; readonly version: string }

/** The result of a run. The site shows it as a table. */
export type Matrix = {
  readonly clients: readonly PackageVersion[]
  readonly runtimes: readonly Omit<Runtime, 'run'>[]
  readonly cases: readonly string[]
  /** By client, and then by runtime: an outcome for each case. A missing runtime was not run. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, readonly Outcome[]>>>>
}

/** Runs every client in every runtime, one process for each runtime. */
export async function runMatrix(): Promise<Matrix> {
  const server = await startServer()
  const outcomes: Record<string, Record<string, readonly Outcome[]>> = {}
  try {
    for (const { name: runtime, run } of runtimes) {
      const outcome = await run?.(server, runtime)
      for (const [client, row] of Object.entries(outcome ?? {})) {
        outcomes[client] = {
          ...outcomes[client],
          [runtime]: caseNames.map((name) => judgeOutcome(server, runtime, client, name, row)),
        }
      }
    }
  } finally {
    server.close()
  }
  return {
    clients: Object.entries(clientPackages).map(([name, from]) => ({
      name,
      version: readVersion(from),
    })),
    runtimes: runtimes.map(({ run: _run, ...named }) => named),
    cases: caseNames.map((name) => cases[name].title),
    outcomes,
  }
}

/**
 * A matrix with the records of runtimes that are not available here, if the clients are
 * still the same.
 */
export function withRecorded(found: Matrix, recorded: Matrix): Matrix {
  if (JSON.stringify(found.clients) !== JSON.stringify(recorded.clients)) return found
  const taken = recorded.runtimes.filter((one) =>
    found.runtimes.some(({ name, unavailable }) => name === one.name && unavailable),
  )
  const rows = Object.entries(found.outcomes).map(([client, row]) => {
    const more = taken.flatMap(({ name }) =>
      Object.entries(recorded.outcomes[client] ?? {}).filter(([runtime]) => runtime === name),
    )
    return [client, { ...row, ...Object.fromEntries(more) }] as const
  })
  return {
    ...found,
    runtimes: found.runtimes.map((one) => taken.find(({ name }) => name === one.name) ?? one),
    outcomes: Object.fromEntries(rows),
  }
}

/** What is wrong with a matrix: cases that fail only through us, or that it lacks. */
export function findFaults({
  cases: titles,
  clients,
  runtimes: run,
  outcomes,
}: Matrix): readonly string[] {
  return run.flatMap(({ name: runtime, unavailable }) =>
    clients.flatMap(({ name: client }) => {
      const row = outcomes[client]?.[runtime]
      if ((row?.length ?? 0) !== (unavailable === undefined ? titles.length : 0))
        return [`${client}, ${runtime}: ${row?.length ?? 0} cases`]
      return (row ?? []).flatMap(({ kind, why }, index) =>
        kind === 'fails' ? [`${client}, ${runtime}, ${titles[index]}: ${why}`] : [],
      )
    }),
  )
}

/** What the site shows. */
export function readRecordedMatrix(): Matrix {
  return JSON.parse(readFileSync(new URL('../matrix.json', import.meta.url), 'utf8')) as Matrix
}

/**
 * A client that came to its result with more or fewer requests has failed. The server's objection
 * says more than the client's own error.
 */
function judgeOutcome(
  server: MatrixServer,
  runtime: string,
  client: string,
  name: CaseName,
  row: Outcomes[string],
): Outcome {
  const { kind, why } = row[name]
  const sends = server.sends(runtime, client, name)
  if (kind === 'works')
    return sends === cases[name].sends
      ? row[name]
      : { kind: 'fails', why: `${sends} requests came` }
  const path = kind === 'fails' ? name : `plain-${cases[name].body}`
  return { kind, why: server.objection(runtime, client, path) ?? why }
}

function readVersion(name: string): string {
  return (
    JSON.parse(readFileSync(join(prepareFolder(name), 'package.json'), 'utf8')) as PackageVersion
  ).version
}
