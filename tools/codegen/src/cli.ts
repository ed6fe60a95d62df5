#!/usr/bin/env node
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { cacheFolder, recall, remember } from './cache.js'
import type { Question } from './cache.js'
import { catalogue, formatDiagnostic } from './diagnostics.js'
import type { Diagnostic } from './diagnostics.js'
import type { DocumentEmitter } from './emit/emitter.js'
import { emitters, outputsHere } from './emitters/index.js'
import { formatModes, zodFlavours, zodWith, type ZodOptions } from './emitters/zod.js'
import type { GenerateOptions, GenerateResult, generate } from './generate.js'
import { folder, packages } from './target.js'
import { watch } from './watch.js'
import type { Drift } from './write.js'

/** Exit codes: done; a fault of the document, or drift; a fault of the command line; a fault of ours. */
export const exitCodes = { ok: 0, document: 1, usage: 2, internal: 70 } as const

/** What the command touches beside the files: given, so that it can be run within a test. */
export type Io = {
  readonly out: (line: string) => void
  readonly error: (line: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  /** Ends --watch. */
  readonly signal: AbortSignal
  /** Where the cache goes when there is no node_modules. */
  readonly temp: string
  /** Loads the generator. A run that the cache answers does without it. */
  readonly load: () => Promise<typeof generate>
}

/** So many warnings of a kind show what it is about; a document may have hundreds. */
const fewWarnings = 5

/** What --out makes when it is not told. */
const usual = emitters.filter(({ optional }) => optional !== true)

const usage = `Usage: farebox-codegen [generate] [options]

Turns an OpenAPI 3.0 or 3.1 document into ${emitters.map(({ name }) => name).join(', ')}.

  --spec FILE     the document (default: spec/openapi.yaml)
  --out DIR       write DIR/${usual.map(({ name }) => name).join(', DIR/')} (default: all outputs, into the packages of this repository)
  --only LIST     make these outputs only, separated by commas; with --out the way to have ${emitters
    .filter(({ optional }) => optional)
    .map(({ name }) => name)
    .join(', ')} too
  --zod FLAVOUR   ${zodFlavours.join(', ')}: with --out, validators for zod/mini or zod's core instead of zod: same verdicts, fewer bytes (default: full)
  --formats MODE  ${formatModes.join(' or ')}: with --out, whether validators check formats or ignore them (default: assert)
  --check         write nothing; list different, missing and stray files and exit 1 if there are any
  --watch         generate again whenever a file in the folder of the document changes
  --allow-refs    follow references to other folders and to URLs
  --no-cache      make everything anew, though nothing has changed since the last run
  --quiet         print faults only
  --verbose       print every warning, not the first ${fewWarnings} of a kind
  --help          print this
  --version       print the version

Exit codes: 0 done, 1 fault of the document or drift, 2 wrong usage, 70 fault of the generator.`

/** Runs the command and resolves to its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await run(argv, io)
  } catch (error) {
    if (error instanceof Error && (error instanceof UsageError || error.name === 'MissingPackageError')) {
      io.error(`${error.message}\n\nfarebox-codegen --help lists the options.`)
      return exitCodes.usage
    }
    io.error("The generator failed; this is its fault and not the document's. Nothing was written.")
    io.error(`    found     ${error instanceof Error ? error.message : 'an unknown error'}`)
    io.error('    to do     report this line with the command and, if you can, the document; FAREBOX_DEBUG=1 prints the stack')
    if (io.env['FAREBOX_DEBUG'] !== undefined && error instanceof Error) io.error(error.stack ?? '')
    return exitCodes.internal
  }
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  const { values } = parse(argv)
  if (values.help === true) return print(io, usage)
  if (values.version === true) return print(io, version())
  const zod = zodOptions(values)
  const chosen =
    values.out === undefined
      ? chosenEmitters(values.only, outputsHere, outputsHere)
      : chosenEmitters(values.only, emitters, usual).map((one) => (one.name === 'zod' ? zodWith(zod) : one))
  const spec = values.spec ?? 'spec/openapi.yaml'
  const options: Run = {
    spec,
    target: values.out === undefined ? packages : folder(normal(values.out), command(values, chosen)),
    emitters: chosen,
    check: values.check === true,
    allowRefs: values['allow-refs'] === true,
    cwd: io.cwd,
  }
  const question = values['no-cache'] === true ? undefined : questionOf(options, zod)
  const once = async (): Promise<number> =>
    oneRun(options, question, values.quiet === true ? 'quiet' : values.verbose === true ? 'verbose' : 'usual', io)
  const code = await once()
  if (values.watch !== true) return code
  io.out(`Watching ${spec} and the files beside it. Stop with Ctrl+C.`)
  await watch(resolve(io.cwd, spec), async () => void (await once()), { signal: io.signal })
  return exitCodes.ok
}

type Run = GenerateOptions & Required<Pick<GenerateOptions, 'spec' | 'cwd' | 'target' | 'emitters' | 'allowRefs'>>

async function oneRun(options: Run, question: Question | undefined, amount: Amount, io: Io): Promise<number> {
  const quiet = amount === 'quiet'
  const start = io.now()
  const tell = ({ diagnostics }: Pick<GenerateResult, 'diagnostics'>): void => {
    for (const line of told(diagnostics, amount)) io.error(line)
  }
  const cache = cacheFolder(io.cwd, io.temp)
  const known = question && (await recall(cache, question))
  if (known !== undefined) {
    tell(known)
    return summed('everything was up to date, as after the last run', quiet, io.now() - start, io)
  }
  let last = start
  const onStep = (step: string): void => {
    const now = io.now()
    if (!quiet) io.out(`${String(Math.round(now - last)).padStart(6)} ms  ${step}`)
    last = now
  }
  const generate = await io.load()
  const result = await generate({ ...options, onStep })
  tell(result)
  if (question !== undefined && result.status !== 'faulty') {
    const { document, outputs, diagnostics } = result
    await remember(cache, question, { inputs: document.inputs, outputs, diagnostics })
  }
  return conclude(result, options, quiet, io.now() - start, io)
}

type Amount = 'quiet' | 'usual' | 'verbose'

/** All faults; of warnings none, a few of each kind and how many more there are, or all. */
function told(diagnostics: readonly Diagnostic[], amount: Amount): readonly string[] {
  const counts = new Map<string, number>()
  const lines: string[] = []
  for (const diagnostic of diagnostics) {
    const count = (counts.get(diagnostic.code) ?? 0) + 1
    counts.set(diagnostic.code, count)
    if (diagnostic.severity === 'error' || amount === 'verbose' || (amount === 'usual' && count <= fewWarnings))
      lines.push(formatDiagnostic(diagnostic))
  }
  if (amount !== 'usual') return lines
  const more = [...counts].filter(([code, count]) => catalogue[code as Diagnostic['code']].severity === 'warning' && count > fewWarnings)
  return [...lines, ...more.map(([code, count]) => `${count - fewWarnings} more of ${code}. --verbose prints them all.`)]
}

/** All that the output depends on, but for the files. `--check` is not among it: it asks the same question. */
function questionOf({ cwd, spec, target, emitters: chosen, allowRefs }: Run, { flavour, formats }: ZodOptions): Question {
  const outputs = chosen.map((emitter) => `${emitter.name} ${target.directory(emitter)}`)
  return { cwd, spec, options: [target.command, ...outputs, flavour ?? '', formats ?? '', allowRefs] }
}

function conclude(result: GenerateResult, { target }: Run, quiet: boolean, milliseconds: number, io: Io): number {
  if (result.status === 'faulty') {
    const faults = result.diagnostics.filter(({ code }) => catalogue[code].severity === 'error').length
    io.error(`${faults} ${faults === 1 ? 'fault' : 'faults'} in the document. Nothing was written.`)
    return exitCodes.document
  }
  const { different, missing, stray } = result.drift
  if (result.status === 'drifted') {
    for (const line of listed(result.drift)) io.error(line)
    io.error(`The generated files do not match the document. Run \`${target.command}\` and commit what it writes.`)
    return exitCodes.document
  }
  const written = different.length + missing.length
  const summary = written + stray.length === 0 ? 'everything was up to date' : `wrote ${written} and removed ${stray.length} files`
  return summed(summary, quiet, milliseconds, io)
}

function summed(summary: string, quiet: boolean, milliseconds: number, io: Io): number {
  if (!quiet) io.out(`${String(Math.round(milliseconds)).padStart(6)} ms  in all: ${summary}`)
  return exitCodes.ok
}

function listed({ different, missing, stray }: Drift): readonly string[] {
  return [
    ...different.map((path) => `different  ${path}`),
    ...missing.map((path) => `missing    ${path}`),
    ...stray.map((path) => `stray      ${path}`),
  ]
}

type CommandLine = ReturnType<typeof parseOptions>['values']

function parse(argv: readonly string[]): ReturnType<typeof parseOptions> {
  let parsed: ReturnType<typeof parseOptions>
  try {
    parsed = parseOptions(argv)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The options cannot be read.')
  }
  const [word, ...more] = parsed.positionals
  const surplus = word === 'generate' ? more[0] : word
  if (surplus !== undefined)
    throw new UsageError(`There is no command ${JSON.stringify(surplus)}; the only one is generate. A document is named by --spec FILE.`)
  if (parsed.values.check === true && parsed.values.watch === true)
    throw new UsageError('--check and --watch exclude each other: one ends, the other does not.')
  return parsed
}

function parseOptions(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      spec: { type: 'string' },
      out: { type: 'string' },
      only: { type: 'string' },
      zod: { type: 'string' },
      formats: { type: 'string' },
      check: { type: 'boolean' },
      watch: { type: 'boolean' },
      'allow-refs': { type: 'boolean' },
      'no-cache': { type: 'boolean' },
      quiet: { type: 'boolean' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  })
}

function chosenEmitters(
  only: string | undefined,
  all: readonly DocumentEmitter[],
  unsaid: readonly DocumentEmitter[],
): readonly DocumentEmitter[] {
  if (only === undefined) return unsaid
  const wanted = only.split(',').map((name) => name.trim())
  for (const name of wanted) {
    if (!emitters.some((emitter) => emitter.name === name)) {
      throw new UsageError(`--only knows ${emitters.map((emitter) => emitter.name).join(', ')}, and not ${JSON.stringify(name)}.`)
    }
  }
  return all.filter(({ name }) => wanted.includes(name))
}

function zodOptions({ out, zod = 'full', formats = 'assert' }: CommandLine): ZodOptions {
  const flavour = zodFlavours.find((name) => name === zod)
  if (flavour === undefined) throw new UsageError(`--zod knows ${zodFlavours.join(', ')}, and not ${JSON.stringify(zod)}.`)
  const mode = formatModes.find((name) => name === formats)
  if (mode === undefined) throw new UsageError(`--formats knows ${formatModes.join(' and ')}, and not ${JSON.stringify(formats)}.`)
  if (out === undefined && (flavour !== 'full' || mode !== 'assert'))
    throw new UsageError('--zod and --formats go with --out DIR: the packages of this repository are made in one way.')
  return { flavour, formats: mode }
}

/** The command that would write these files and those beside them: what their banners name. */
function command({ spec, out, only, zod, formats }: CommandLine, chosen: readonly DocumentEmitter[]): string {
  const options = [
    spec === undefined ? '' : ` --spec ${base(spec)}`,
    out === undefined ? '' : ` --out ${base(out)}`,
    only !== undefined && chosen.some(({ optional }) => optional) ? ` --only ${chosen.map(({ name }) => name).join()}` : '',
    zod === undefined || zod === 'full' ? '' : ` --zod ${zod}`,
    formats === undefined || formats === 'assert' ? '' : ` --formats ${formats}`,
  ]
  return `farebox-codegen${options.join('')}`
}

/** Absolute paths belong to one machine and stay out of the output. */
function base(path: string): string {
  return normal(path).startsWith('/') || /^[a-z]:/i.test(path) ? (normal(path).split('/').at(-1) ?? path) : normal(path)
}

function normal(path: string): string {
  return path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')
}

function print(io: Io, text: string): number {
  io.out(text)
  return exitCodes.ok
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  return manifest.version
}

/** The command line was wrong. */
class UsageError extends Error {
  override readonly name = 'UsageError'
}

function isEntry(): boolean {
  const started = process.argv[1]
  return started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)
}

/** Runs the command for this process. */
export async function start(): Promise<void> {
  // A run is over before most of what V8 would compile for long use has paid: with more patience it spends a quarter less.
  setFlagsFromString('--interrupt-budget=1000000')
  // What is read and written of a document is large and soon done with: to collect it sooner takes a tenth less room, and no more time.
  setFlagsFromString('--heap-growing-percent=100')
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.exitCode = await main(process.argv.slice(2), {
    out: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
    cwd: process.cwd(),
    env: process.env,
    now: () => performance.now(),
    signal: stop.signal,
    temp: tmpdir(),
    load: async () => (await import('./generate.js')).generate,
  })
}

if (isEntry()) await start()
