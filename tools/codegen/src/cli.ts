#!/usr/bin/env node
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { exitCodes, expected, runProgram, UsageError, type Arguments, type Flag, type Program } from '@farebox/command-line'
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

const optional = emitters.filter((emitter) => emitter.optional)
const flags = [
  flag('spec', 'FILE', 'the document (default: spec/openapi.yaml)'),
  flag(
    'out',
    'DIR',
    `write ${usual.map(({ name }) => `DIR/${name}`).join(', ')} (default: all outputs, into the packages of this repository)`,
  ),
  flag(
    'only',
    'LIST',
    `make these outputs only, separated by commas; with --out the way to have ${optional.map(({ name }) => name).join(', ')} too`,
  ),
  {
    ...flag(
      'zod',
      'FLAVOUR',
      "with --out, validators for zod/mini or zod's core instead of zod: same verdicts, fewer bytes (default: full)",
    ),
    choices: zodFlavours,
  },
  { ...flag('formats', 'MODE', 'with --out, whether validators check formats or ignore them (default: assert)'), choices: formatModes },
  toggle('check', 'write nothing; list different, missing and stray files and exit 1 if there are any'),
  toggle('watch', 'generate again whenever a file in the folder of the document changes'),
  toggle('allow-refs', 'follow references to other folders and to URLs'),
  toggle('no-cache', 'generate everything, even if nothing has changed since the last run'),
  toggle('quiet', 'print faults only'),
  toggle('verbose', `print every warning, not the first ${fewWarnings} of a kind`),
]

type CommandLine = Arguments<(typeof flags)[number]['name']>

const program: Program<(typeof flags)[number]['name']> = {
  name: 'farebox-codegen',
  summary: `turns an OpenAPI 3.0 or 3.1 document into ${emitters.map(({ name }) => name).join(', ')}`,
  version: version(),
  operands: [{ name: 'generate', required: false, choices: ['generate'] }],
  flags,
  notes: [{ title: 'Exit codes:', text: '0 done, 1 fault of the document or drift, 2 wrong usage, 70 fault of the generator.' }],
  examples: ['farebox-codegen --spec openapi.yaml --out src/api', 'farebox-codegen --check'],
}

/** Runs the command and resolves to its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const world = { environment: io.env, out: lines(io.out), err: lines(io.error) }
  try {
    return await runProgram(program, argv, world, (given) => run(given, io))
  } catch (error) {
    if (error instanceof Error && error.name === 'MissingPackageError') {
      io.error(error.message)
      return exitCodes.usage
    }
    io.error("The generator failed; this is its fault and not the document's. Nothing was written.")
    io.error(`    found     ${error instanceof Error ? error.message : 'an unknown error'}`)
    io.error('    to do     report this line with the command and, if you can, the document; FAREBOX_DEBUG=1 prints the stack')
    if (io.env['FAREBOX_DEBUG'] !== undefined && error instanceof Error) io.error(error.stack ?? '')
    return exitCodes.internal
  }
}

function lines(write: (line: string) => void) {
  return { write: (text: string) => write(text.replace(/\n$/, '')) }
}

async function run(given: CommandLine, io: Io): Promise<number> {
  const [word = 'generate'] = given.operands
  if (word !== 'generate')
    throw new UsageError(`Found the command ${JSON.stringify(word)}, expected generate. Name a document with --spec FILE.`)
  if (given.has('check') && given.has('watch'))
    throw new UsageError('--check and --watch exclude each other: one ends, the other does not.')
  const zod = zodOptions(given)
  const out = given.text('out')
  const only = given.text('only')
  const chosen =
    out === undefined
      ? chosenEmitters(only, outputsHere, outputsHere)
      : chosenEmitters(only, emitters, usual).map((one) => (one.name === 'zod' ? zodWith(zod) : one))
  const spec = given.text('spec') ?? 'spec/openapi.yaml'
  const options: Run = {
    spec,
    target: out === undefined ? packages : folder(normal(out), command(given, chosen)),
    emitters: chosen,
    check: given.has('check'),
    allowRefs: given.has('allow-refs'),
    cwd: io.cwd,
  }
  const question = given.has('no-cache') ? undefined : questionOf(options, zod)
  const amount = given.has('quiet') ? 'quiet' : given.has('verbose') ? 'verbose' : 'usual'
  const once = async (): Promise<number> => oneRun(options, question, amount, io)
  const code = await once()
  if (!given.has('watch')) return code
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

/**
 * Everything that the output depends on, except the files. `--check` does not change the output.
 */
function questionOf({ cwd, spec, target, emitters: chosen, allowRefs }: Run, { flavour, formats }: ZodOptions): Question {
  const outputs = chosen.map((emitter) => `${emitter.name} ${target.directory(emitter)}`)
  return { cwd, spec, options: [target.command, ...outputs, flavour ?? '', formats ?? '', allowRefs] }
}

function conclude(result: GenerateResult, { target }: Run, quiet: boolean, milliseconds: number, io: Io): number {
  if (result.status === 'faulty') {
    const faults = result.diagnostics.filter(({ code }) => catalogue[code].severity === 'error').length
    io.error(`${faults} ${faults === 1 ? 'fault' : 'faults'} in the document. Nothing was written.`)
    return exitCodes.failed
  }
  const { different, missing, stray } = result.drift
  if (result.status === 'drifted') {
    for (const line of listed(result.drift)) io.error(line)
    io.error(`The generated files do not match the document. Run \`${target.command}\` and commit what it writes.`)
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

function listed({ different, missing, stray }: Drift): readonly string[] {
  return [
    ...different.map((path) => `different  ${path}`),
    ...missing.map((path) => `missing    ${path}`),
    ...stray.map((path) => `stray      ${path}`),
  ]
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
      throw expected('--only', name, `some of ${emitters.map((emitter) => emitter.name).join(', ')}`)
    }
  }
  return all.filter(({ name }) => wanted.includes(name))
}

function zodOptions(given: CommandLine): ZodOptions {
  const flavour = given.choice('zod', zodFlavours) ?? 'full'
  const formats = given.choice('formats', formatModes) ?? 'assert'
  if (given.text('out') === undefined && (flavour !== 'full' || formats !== 'assert'))
    throw new UsageError('--zod and --formats need --out DIR: the packages of this repository are generated in one way.')
  return { flavour, formats }
}

/** The command that would write these files and those beside them: what their banners name. */
function command(given: CommandLine, chosen: readonly DocumentEmitter[]): string {
  const [spec, out, zod, formats] = [given.text('spec'), given.text('out'), given.text('zod'), given.text('formats')]
  const options = [
    spec === undefined ? '' : ` --spec ${base(spec)}`,
    out === undefined ? '' : ` --out ${base(out)}`,
    given.text('only') !== undefined && chosen.some(({ optional }) => optional) ? ` --only ${chosen.map(({ name }) => name).join()}` : '',
    zod === undefined || zod === 'full' ? '' : ` --zod ${zod}`,
    formats === undefined || formats === 'assert' ? '' : ` --formats ${formats}`,
  ]
  return `${program.name}${options.join('')}`
}

/** Absolute paths belong to one machine and stay out of the output. */
function base(path: string): string {
  return normal(path).startsWith('/') || /^[a-z]:/i.test(path) ? (normal(path).split('/').at(-1) ?? path) : normal(path)
}

function normal(path: string): string {
  return path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')
}

function flag<Name extends string>(name: Name, value: string, help: string): Flag<Name> {
  return { name, kind: 'text', value, help }
}

function toggle<Name extends string>(name: Name, help: string): Flag<Name> {
  return { name, kind: 'switch', help }
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  return manifest.version
}

function isEntry(): boolean {
  const started = process.argv[1]
  return started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)
}

/** Runs the command for this process. */
export async function start(): Promise<void> {
  // A run ends before V8's optimizing compiler pays off. A higher threshold saves a quarter of the
  // CPU.
  setFlagsFromString('--interrupt-budget=1000000')
  // A document's text is large and short-lived. To collect it earlier takes a tenth less memory,
  // and no more time.
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
