import { resolve } from 'node:path'
import { exitCodes } from '@farebox/command-line'
import { catalogue, formatDiagnostic, toPrintable } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { findCacheFolder, readCache, writeCache } from '../pipeline/cache.js'
import type { GenerateResult } from '../pipeline/generate.js'
import type { PluginError } from '../pipeline/plugin-emitter.js'
import type { Drift } from '../pipeline/write.js'
import { isStream } from './input-flags.js'
import type { Io } from './io.js'
import type { Job } from './plan.js'

export type JobResult = {
  readonly code: number
  /** The files that the result depends on, found or not. */
  readonly files: readonly string[]
}

type Verbosity = 'quiet' | 'normal' | 'verbose'

/** Generates one document, or compares it with the disk, and prints what happens. */
export async function runJob(
  { options, cacheKey }: Job,
  check: boolean,
  verbosity: Verbosity,
  io: Io,
): Promise<JobResult> {
  const quiet = verbosity === 'quiet'
  const start = io.now()
  const printDiagnostics = (
    { diagnostics }: Pick<GenerateResult, 'diagnostics'>,
    loss?: string,
  ): void => {
    for (const line of formatDiagnostics(diagnostics, verbosity)) io.error(line)
    if (loss !== undefined) io.error(loss)
  }
  const cache = findCacheFolder(options.cwd, io.temp)
  const cached = cacheKey && (await readCache(cache, cacheKey))
  if (cached !== undefined) {
    printDiagnostics(cached, cached.loss)
    const code = printSummary(
      'everything was up to date, as after the last run',
      quiet,
      io.now() - start,
      io,
    )
    return { code, files: listDependencies(cached.inputs, options) }
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
    // by name, as the class belongs to the generator, which is loaded late
    if (!(error instanceof Error) || error.name !== 'PluginError') throw error
    for (const line of formatPluginError(error as PluginError)) io.error(line)
    if (io.env['FAREBOX_DEBUG'] !== undefined)
      io.error((error.cause instanceof Error && error.cause.stack) || '')
    return { code: exitCodes.failed, files: listDependencies([], options) }
  }
  const loss = result.status === 'faulty' ? undefined : describeLoss(result)
  printDiagnostics(result, loss)
  if (cacheKey !== undefined && result.status !== 'faulty') {
    const { inputs, outputs, diagnostics } = result
    await writeCache(cache, cacheKey, {
      inputs,
      outputs,
      diagnostics,
      ...(loss !== undefined && { loss }),
    })
  }
  const code = printResult(result, options.target.command, quiet, io.now() - start, io)
  return { code, files: listDependencies(result.inputs, options) }
}

function formatPluginError({
  plugin,
  document,
  operation,
  message,
}: PluginError): readonly string[] {
  return [
    `The plugin "${plugin}" failed. Nothing was written for this document.`,
    `    document  ${toPrintable(document)}`,
    ...(operation === undefined
      ? []
      : [`    operation ${toPrintable(operation)}, the last one that it read`]),
    `    found     ${toPrintable(message)}`,
    '    to do     report it to its author; FAREBOX_DEBUG=1 prints the stack',
  ]
}

/** The entry and the overlays count even if an error kept them from being read. */
function listDependencies(
  inputs: readonly { readonly location: string }[],
  { cwd, spec, input }: Job['options'],
): readonly string[] {
  const entries = [spec, ...(input.overlays ?? [])]
    .filter((entry) => !isStream(entry))
    .map((entry) => resolve(cwd, entry))
  return [
    ...new Set([
      ...entries,
      ...inputs.map(({ location }) => location).filter((location) => !isStream(location)),
    ]),
  ]
}

function printResult(
  result: GenerateResult,
  command: string,
  quiet: boolean,
  milliseconds: number,
  io: Io,
): number {
  if (result.status === 'faulty') {
    const count = result.diagnostics.filter(({ severity }) => severity === 'error').length
    io.error(`${count} ${count === 1 ? 'error' : 'errors'} in the document. Nothing was written.`)
    return exitCodes.failed
  }
  if (result.status === 'drifted') {
    for (const line of formatDrift(result.drift)) io.error(line)
    io.error(
      `The generated files do not match the document. Run \`${command}\` and commit the result.`,
    )
    return exitCodes.failed
  }
  const { different, missing, stray } = result.drift
  const written = different.length + missing.length
  const summary =
    written + stray.length === 0
      ? 'everything was up to date'
      : `wrote ${written} and removed ${stray.length} files`
  return printSummary(summary, quiet, milliseconds, io)
}

function formatDrift({ different, missing, stray }: Drift): readonly string[] {
  return [
    ...different.map((path) => `different  ${path}`),
    ...missing.map((path) => `missing    ${path}`),
    ...stray.map((path) => `stray      ${path}`),
  ]
}

function printSummary(summary: string, quiet: boolean, milliseconds: number, io: Io): number {
  if (!quiet) io.out(`${String(Math.round(milliseconds)).padStart(6)} ms  total: ${summary}`)
  return exitCodes.ok
}

/** How many warnings of a kind are printed: enough to understand it. There may be hundreds. */
export const warningLimit = 5

/** All errors, and depending on the verbosity no warnings, the first of each kind, or all. */
function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  verbosity: Verbosity,
): readonly string[] {
  const counts = new Map<string, number>()
  const lines: string[] = []
  for (const diagnostic of diagnostics) {
    const count = (counts.get(diagnostic.code) ?? 0) + 1
    counts.set(diagnostic.code, count)
    if (
      isError(diagnostic) ||
      verbosity === 'verbose' ||
      (verbosity === 'normal' && count <= warningLimit)
    )
      lines.push(formatDiagnostic(diagnostic))
  }
  if (verbosity !== 'normal') return lines
  const errors = new Set<string>(diagnostics.filter(isError).map(({ code }) => code))
  const truncated = [...counts].filter(([code, count]) => !errors.has(code) && count > warningLimit)
  return [
    ...lines,
    ...truncated.map(
      ([code, count]) => `${count - warningLimit} more of ${code}. --verbose prints them all.`,
    ),
  ]
}

/** Includes the errors that became warnings because they only dropped a part. */
function isError({ code, severity }: Diagnostic): boolean {
  return severity === 'error' || catalogue[code].severity === 'error'
}

/** One line about what the errors of a document dropped, if anything. */
function describeLoss({
  leftOut,
  operations,
}: Extract<GenerateResult, { readonly leftOut: unknown }>): string | undefined {
  if (leftOut.length === 0) return undefined
  const namesByKind = (...kinds: readonly string[]): readonly string[] =>
    leftOut.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => toPrintable(name))
  const [dropped, untyped] = [namesByKind('operation', 'other'), namesByKind('schema')]
  return [
    `Generated ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ...(dropped.length === 0 ? [] : [`left out ${dropped.length} (${listFirst(dropped)})`]),
    ...(untyped.length === 0
      ? []
      : [
          `typed ${untyped.length} ${untyped.length === 1 ? 'schema' : 'schemas'} as unknown (${listFirst(untyped)})`,
        ]),
    'run with --strict to reject such a document.',
  ].join('; ')
}

function listFirst(names: readonly string[]): string {
  return names.length > warningLimit
    ? `${names.slice(0, warningLimit).join(', ')} and ${names.length - warningLimit} more`
    : names.join(', ')
}
