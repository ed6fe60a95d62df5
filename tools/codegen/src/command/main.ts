import { readFileSync } from 'node:fs'
import { exitCodes, expected, runProgram, UsageError, type Arguments, type Flag, type Program } from '@farebox/command-line'
import { isUrl } from '../document/read-input.js'
import { dateModes, int64Modes } from '../emit/values/modes.js'
import { emitters } from '../emitters/index.js'
import { enumModes } from '../emitters/types/enum-constants.js'
import { formatModes, zodFlavours } from '../emitters/zod.js'
import { importExtensions } from '../pipeline/target.js'
import { inputFlags, isStream, readInputFlags, withoutQuery, writtenInput } from './input-flags.js'
import type { Io } from './io.js'
import type { Job, Overrides, Plan } from './plan.js'
import { fewWarnings, runJob } from './run-job.js'
import { usual } from './outputs.js'
import { readPlan } from './plan.js'
import type { JobResult } from './run-job.js'
import { watchPlan } from './watch.js'

const optional = emitters.filter((emitter) => emitter.optional)
const flags = [
  flag(
    'spec',
    'FILE',
    'the document: a file, a URL, or - for standard input (default: what the configuration says, else spec/openapi.yaml)',
  ),
  ...inputFlags,
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
  {
    ...flag('config', 'FILE', 'the configuration (default: farebox.config.ts or .mts, .js, .mjs, .json, here or above)'),
    completes: 'file' as const,
  },
  {
    ...flag('plugin', 'NAME', 'an output of another package: the name of the package, or a file'),
    many: true,
  },
  {
    ...flag('enums', 'MODE', 'with --out, whether enums with x-enum-varnames or x-enumNames are constants too (default: types)'),
    choices: enumModes,
  },
  {
    ...flag('import-extension', 'END', 'with --out, how imports of generated files end; ts is for Node without a compiler (default: js)'),
    choices: importExtensions,
  },
  {
    ...flag('dates', 'MODE', 'with --out, whether types, validators and client have dates as text, as Date or as Temporal (default: text)'),
    choices: dateModes,
  },
  {
    ...flag('int64', 'MODE', 'with --out, whether types, validators and client have int64 as number or as bigint (default: number)'),
    choices: int64Modes,
  },
  toggle('isolated-declarations', 'with --out, state the type of each validator, for a program that is compiled with this switch'),
  toggle('check', 'write nothing; list different, missing and stray files and exit 1 if there are any'),
  toggle('strict', 'refuse a document with any fault, instead of leaving out what has one'),
  toggle('watch', 'generate again whenever a file of a document or the configuration changes'),
  toggle('allow-refs', 'follow references to other folders and to URLs'),
  toggle('no-cache', 'generate everything, even if nothing has changed since the last run'),
  toggle('quiet', 'print faults only'),
  toggle('verbose', `print every warning, not the first ${fewWarnings} of a kind`),
]

type CommandLine = Arguments<(typeof flags)[number]['name']>

const program: Program<(typeof flags)[number]['name']> = {
  name: 'farebox-codegen',
  summary: `turns an OpenAPI 3.0, 3.1 or 3.2 document, or one of Swagger 2.0, into ${emitters.map(({ name }) => name).join(', ')}`,
  version: version(),
  operands: [{ name: 'command', required: false, choices: ['generate', 'init'] }],
  flags,
  notes: [{ title: 'Exit codes:', text: '0 done, 1 nothing could be generated or drift, 2 wrong usage, 70 fault of the generator.' }],
  examples: [
    'farebox-codegen --spec openapi.yaml --out src/api',
    'farebox-codegen init      # writes farebox.config.ts from what is here',
    'farebox-codegen           # generates what farebox.config.ts says',
    'farebox-codegen --check',
  ],
}

const initProgram: Program<'spec' | 'out' | 'only' | 'yes'> = {
  name: 'farebox-codegen init',
  summary: 'writes farebox.config.ts from what the folder holds and, at a terminal, from your answers',
  operands: [],
  flags: [
    flag('spec', 'FILE', 'the document: a file or a URL (default: the likeliest one below this folder)'),
    flag('out', 'DIR', 'the folder of the outputs'),
    flag('only', 'LIST', 'these outputs, separated by commas (default: those that suit the packages of this project)'),
    toggle('yes', 'ask nothing'),
  ],
  examples: ['farebox-codegen init', 'farebox-codegen init --spec openapi.yaml --out src/api --yes'],
}

/** Runs the command and resolves to its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const world = { environment: io.env, out: lines(io.out), err: lines(io.error) }
  try {
    if (argv[0] === 'init') return await runProgram(initProgram, argv.slice(1), world, async (given) => runInit(given, io))
    return await runProgram(program, argv, world, (given) => run(given, io))
  } catch (error) {
    if (error instanceof Error && error.name === 'MissingPackageError') {
      io.error(error.message)
      return exitCodes.usage
    }
    if (error instanceof Error && error.name === 'WriteError') {
      io.error(error.message)
      io.error('    to do     make room for it or make it writable, or choose another folder: --out, or `out` in the configuration')
      return exitCodes.failed
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

async function runInit(given: Arguments<'spec' | 'out' | 'only' | 'yes'>, io: Io): Promise<number> {
  const { init } = await import('./init/init.js')
  return init({ spec: given.text('spec'), out: given.text('out'), only: onlyOf(given), yes: given.has('yes') }, io)
}

async function run(given: CommandLine, io: Io): Promise<number> {
  const [word = 'generate'] = given.operands
  if (word !== 'generate')
    throw new UsageError(`Found the command ${JSON.stringify(word)}, expected generate or init. Name a document with --spec FILE.`)
  if (given.has('check') && given.has('watch'))
    throw new UsageError('--check and --watch exclude each other: one ends, the other does not.')
  const overrides = overridesOf(given, io)
  const read = async (): Promise<Plan> => readPlan(given.text('config'), overrides)
  const plan = await read()
  if (given.has('watch') && plan.jobs.every(({ options }) => isStream(options.spec)))
    throw new UsageError('--watch needs a document in a file: nothing says when another one changes.')
  const amount = given.has('quiet') ? 'quiet' : given.has('verbose') ? 'verbose' : 'usual'
  const results = new Map<string, JobResult>()
  const runAll = async (jobs: readonly Job[]): Promise<void> => {
    for (const job of jobs) {
      if (plan.jobs.length > 1 && amount !== 'quiet') io.out(`${job.options.spec}:`)
      results.set(job.key, await runJob(job, given.has('check'), amount, io))
    }
  }
  await runAll(plan.jobs)
  if (!given.has('watch')) return Math.max(exitCodes.ok, ...[...results.values()].map(({ code }) => code))
  const watching = watchPlan(plan, { read, run: runAll, filesOf: ({ key }) => results.get(key)?.files ?? [] }, io)
  io.out(`Watching ${plan.jobs.map(({ options }) => options.spec).join(', ')} and the files that belong to it. Stop with Ctrl+C.`)
  await watching
  return exitCodes.ok
}

function overridesOf(given: CommandLine, { cwd, env, stdin }: Io): Overrides {
  const [spec, out, extension] = [given.text('spec'), given.text('out'), given.choice('import-extension', importExtensions)]
  const [dates, int64] = [given.choice('dates', dateModes), given.choice('int64', int64Modes)]
  if (spec !== undefined && isUrl(spec) && !(URL.canParse(spec) && /^https?:$/.test(new URL(spec).protocol)))
    throw expected('--spec', spec, 'a file, -, or an http URL')
  return {
    cwd,
    spec,
    settings: {
      ...readInputFlags(given),
      ...(out !== undefined && { out }),
      ...(given.has('allow-refs') && { allowRefs: true }),
      ...(given.has('strict') && { strict: true }),
      ...(extension !== undefined && { importExtension: extension }),
      ...(dates !== undefined && { dates }),
      ...(int64 !== undefined && { int64 }),
    },
    plugins: given.all('plugin'),
    only: onlyOf(given),
    options: optionsOf(given),
    env,
    stdin,
    cached: !given.has('no-cache'),
    command: command(given),
  }
}

/** The options of outputs, by output. */
function optionsOf(given: CommandLine): Overrides['options'] {
  const [flavour, formats] = [given.choice('zod', zodFlavours), given.choice('formats', formatModes)]
  const enums = given.choice('enums', enumModes)
  const stated = given.has('isolated-declarations')
  return {
    types: { ...(enums && { enums }) },
    zod: { ...(flavour && { flavour }), ...(formats && { formats }), ...(stated && { declarations: 'stated' }) },
  }
}

function onlyOf(given: Arguments<'only'>): readonly string[] | undefined {
  return given
    .text('only')
    ?.split(',')
    .map((name) => name.trim())
}

/** The command that would write these files and those beside them: what their banners name. */
function command(given: CommandLine): string {
  const [spec, config, out] = [given.text('spec'), given.text('config'), given.text('out')]
  const [zod, formats] = [given.text('zod'), given.text('formats')]
  const [enums, extension, dates] = [given.text('enums'), given.text('import-extension'), given.text('dates')]
  const plugins = given.all('plugin').map((name) => ` --plugin ${base(name)}`)
  const wanted = onlyOf(given) ?? []
  const chosen = [...emitters.map(({ name }) => name), ...wanted].filter(
    (name, index, all) => wanted.includes(name) && all.indexOf(name) === index,
  )
  const isUsual = chosen.every((name) => usual.some((emitter) => emitter.name === name))
  const options = [
    spec === undefined ? '' : ` --spec ${isStream(spec) ? withoutQuery(spec) : base(spec)}`,
    config === undefined ? '' : ` --config ${base(config)}`,
    writtenInput(given),
    out === undefined ? '' : ` --out ${base(out)}`,
    plugins.join(''),
    isUsual ? '' : ` --only ${chosen.join()}`,
    zod === undefined || zod === 'full' ? '' : ` --zod ${zod}`,
    formats === undefined || formats === 'assert' ? '' : ` --formats ${formats}`,
    dates === undefined || dates === 'text' ? '' : ` --dates ${dates}`,
    given.text('int64') === 'bigint' ? ' --int64 bigint' : '',
    given.has('isolated-declarations') ? ' --isolated-declarations' : '',
    enums === undefined || enums === 'types' ? '' : ` --enums ${enums}`,
    extension === undefined || extension === 'js' ? '' : ` --import-extension ${extension}`,
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
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  return manifest.version
}
