import { resolve } from 'node:path'
import { exitCodes } from '@farebox/command-line'
import { cacheFolder, recall, remember } from './cache.js'
import { printable } from './diagnostics.js'
import type { GenerateResult } from './generate.js'
import { isStream } from './input-flags.js'
import type { Io } from './io.js'
import type { Job } from './job.js'
import { listed, lossOf, messagesOf } from './messages.js'
import type { Amount } from './messages.js'
import type { PluginError } from './plugin-emitter.js'

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
