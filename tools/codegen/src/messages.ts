import { catalogue, formatDiagnostic, printable } from './diagnostics.js'
import type { Diagnostic } from './diagnostics.js'
import type { GenerateResult } from './generate.js'
import type { Drift } from './write.js'

/** So many warnings of a kind are enough to understand it. A document may have hundreds. */
export const fewWarnings = 5

export type Amount = 'quiet' | 'usual' | 'verbose'

/** All faults; of warnings none, a few of each kind and how many more there are, or all. */
export function messagesOf(diagnostics: readonly Diagnostic[], amount: Amount): readonly string[] {
  const counts = new Map<string, number>()
  const lines: string[] = []
  for (const diagnostic of diagnostics) {
    const count = (counts.get(diagnostic.code) ?? 0) + 1
    counts.set(diagnostic.code, count)
    if (isFault(diagnostic) || amount === 'verbose' || (amount === 'usual' && count <= fewWarnings))
      lines.push(formatDiagnostic(diagnostic))
  }
  if (amount !== 'usual') return lines
  const faults = new Set<string>(diagnostics.filter(isFault).map(({ code }) => code))
  const more = [...counts].filter(([code, count]) => !faults.has(code) && count > fewWarnings)
  return [...lines, ...more.map(([code, count]) => `${count - fewWarnings} more of ${code}. --verbose prints them all.`)]
}

/** An error that cost only a part is a warning now, and is one of the faults still. */
function isFault({ code, severity }: Diagnostic): boolean {
  return severity === 'error' || catalogue[code].severity === 'error'
}

/** What the faults of a document cost, in one line. */
export function lossOf({ leftOut, operations }: Extract<GenerateResult, { readonly leftOut: unknown }>): string | undefined {
  if (leftOut.length === 0) return undefined
  const named = (kinds: readonly string[]): readonly string[] =>
    leftOut.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => printable(name))
  const [lost, opened] = [named(['operation', 'other']), named(['schema'])]
  return [
    `Generated ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ...(lost.length === 0 ? [] : [`left out ${lost.length} (${few(lost)})`]),
    ...(opened.length === 0 ? [] : [`typed ${opened.length} ${opened.length === 1 ? 'schema' : 'schemas'} as unknown (${few(opened)})`]),
    'run with --strict to refuse such a document.',
  ].join('; ')
}

function few(names: readonly string[]): string {
  return names.length > fewWarnings ? `${names.slice(0, fewWarnings).join(', ')} and ${names.length - fewWarnings} more` : names.join(', ')
}

/** The files that a check finds. */
export function listed({ different, missing, stray }: Drift): readonly string[] {
  return [
    ...different.map((path) => `different  ${path}`),
    ...missing.map((path) => `missing    ${path}`),
    ...stray.map((path) => `stray      ${path}`),
  ]
}
