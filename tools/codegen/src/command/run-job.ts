import { resolve } from 'node:path'
import { exitCodes } from '@farebox/command-line'
import { cacheFolder, recall, remember } from '../pipeline/cache.js'
import { printable, catalogue, formatDiagnostic } from '../diagnostics.js'
import type { GenerateResult } from '../pipeline/generate.js'
import { isStream } from './input-flags.js'
import type { Io } from './io.js'
import type { Job } from './plan.js'
import type { PluginError } from '../pipeline/plugin-emitter.js'
import type { Diagnostic } from '../diagnostics.js'
import type { Drift } from '../pipeline/write.js'

export type JobResult = {
  readonly code: number
  /** The files that the result depends on, found or not. */
  readonly files: readonly string[]
}

/** Generates one document, or compares it, and prints what happens. */
export async function runJob({ options, question }: Job, check: boolean, amount: Amount, io: Io): Promise<JobResult> {
  const quiet = amount === 'quiet'
  const start = io.now()
  const report = ({ diagnostics }: Pick<GenerateResult, 'diagnostics'>, loss?: string): void => {
    for (const line of messagesOf(diagnostics, amount)) io.error(line)
    if (loss !== undefined) io.error(loss)
  }
  const cache = cacheFolder(options.cwd, io.temp)
  const known = question && (await recall(cache, question))
  if (known !== undefined) {
    report(known, known.loss)
    const code = summed('everything was up to date, as after the last run', quiet, io.now() - start, io)
    return { code, files: filesOf(known.inputs, options) }
  }
  let last = start
  const onStep = (step: string): void => {
    const now = io.now()
    if (!quiet) io.out(`${String(Math.round(now - last)).padStart(6)} ms  ${step}`)
    last = now
  }
  const generate = await io.load()
  let result: GenerateResult
  try {
    result = await generate({ ...options, check, onStep })
  } catch (error) {
    // by its name, as the class comes with the generator, which is loaded late
    if (!(error instanceof Error) || error.name !== 'PluginError') throw error
    for (const line of pluginLines(error as PluginError)) io.error(line)
    if (io.env['FAREBOX_DEBUG'] !== undefined) io.error((error.cause instanceof Error && error.cause.stack) || '')
    return { code: exitCodes.failed, files: filesOf([], options) }
  }
  const loss = result.status === 'faulty' ? undefined : lossOf(result)
  report(result, loss)
  if (question !== undefined && result.status !== 'faulty') {
    const { document, outputs, diagnostics } = result
    await remember(cache, question, { inputs: document.inputs, outputs, diagnostics, ...(loss !== undefined && { loss }) })
  }
  const code = conclude(result, options.target.command, quiet, io.now() - start, io)
  return { code, files: filesOf(result.document?.inputs ?? [], options) }
}

function pluginLines({ plugin, document, operation, message }: PluginError): readonly string[] {
  return [
    `The plugin "${plugin}" failed. Nothing of this document was written.`,
    `    document  ${printable(document)}`,
    ...(operation === undefined ? [] : [`    operation ${printable(operation)}, the last one that it read`]),
    `    found     ${printable(message)}`,
    '    to do     tell its author; FAREBOX_DEBUG=1 prints the stack',
  ]
}

/** The entry and the overlays count also where a fault kept them from being read. */
function filesOf(inputs: readonly { readonly location: string }[], { cwd, spec, input }: Job['options']): readonly string[] {
  const given = [spec, ...(input.overlays ?? [])].filter((one) => !isStream(one)).map((one) => resolve(cwd, one))
  return [...new Set([...given, ...inputs.map(({ location }) => location).filter((one) => !isStream(one))])]
}

function conclude(result: GenerateResult, command: string, quiet: boolean, milliseconds: number, io: Io): number {
  if (result.status === 'faulty') {
    const faults = result.diagnostics.filter(({ severity }) => severity === 'error').length
    io.error(`${faults} ${faults === 1 ? 'fault' : 'faults'} in the document. Nothing was written.`)
    return exitCodes.failed
  }
  const { different, missing, stray } = result.drift
  if (result.status === 'drifted') {
    for (const line of listed(result.drift)) io.error(line)
    io.error(`The generated files do not match the document. Run \`${command}\` and commit what it writes.`)
    return exitCodes.failed
  }
  const written = different.length + missing.length
  const summary = written + stray.length === 0 ? 'everything was up to date' : `wrote ${written} and removed ${stray.length} files`
  return summed(summary, quiet, milliseconds, io)
}

function summed(summary: string, quiet: boolean, milliseconds: number, io: Io): number {
  if (!quiet) io.out(`${String(Math.round(milliseconds)).padStart(6)} ms  in all: ${summary}`)
  return exitCodes.ok
}

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
