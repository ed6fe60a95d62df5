import { readFileSync } from 'node:fs'
import {
  exitCodes,
  expected,
  runProgram,
  UsageError,
  type Arguments,
  type Flag,
  type Program,
} from '@farebox/command-line'
import { isUrl } from '../document/read-input.js'
import { dateModes, int64Modes } from '../emit/values/converted.js'
import { emitters } from '../emitters/index.js'
import { enumModes } from '../emitters/types/enum-constants.js'
import { networkOptions } from '../emitters/client/network.js'
import { toolModes } from '../emitters/mcp.js'
import { formatModes } from '../emit/emitter.js'
import { zodFlavours } from '../emitters/zod.js'
import { importExtensions } from '../pipeline/target.js'
import {
  inputFlags,
  isStream,
  readInputFlags,
  stripQuery,
  formatInputFlags,
} from './input-flags.js'
import type { Io } from './io.js'
import { defaultOutputs } from './outputs.js'
import { normalizePath, readPlan } from './plan.js'
import type { Job, Overrides, Plan } from './plan.js'
import { runJob, warningLimit } from './run-job.js'
import type { JobResult } from './run-job.js'
import { watchPlan } from './watch.js'

const optionalOutputs = emitters.filter((emitter) => emitter.optional)
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
    `write ${defaultOutputs.map(({ name }) => `DIR/${name}`).join(', ')} (default: what the configuration says)`,
  ),
  flag(
    'only',
    'LIST',
    `generate only these outputs, separated by commas; they may include ${optionalOutputs.map(({ name }) => name).join(', ')}`,
  ),
  {
    ...flag(
      'zod',
      'FLAVOUR',
      "with --out, validators for zod/mini or zod's core instead of zod: same verdicts, fewer bytes (default: full)",
    ),
    choices: zodFlavours,
  },
  {
    ...flag(
      'formats',
      'MODE',
      'with --out, whether validators check formats or ignore them (default: assert)',
    ),
    choices: formatModes,
  },
  {
    ...flag(
      'mcp',
      'TOOLS',
      'with --out, the tools of the output mcp: one for each operation, or three to find, describe and call operations, for large documents (default: each)',
    ),
    choices: toolModes,
  },
  {
    ...flag(
      'network',
      'LAYER',
      `with --out, what createClient sends through: ${networkOptions.join(', ')}, of @farebox/retry and @farebox/auth (default: only fetch)`,
    ),
    many: true,
    choices: networkOptions,
  },
  {
    ...flag(
      'config',
      'FILE',
      'the configuration (default: farebox.config.ts or .mts, .js, .mjs, .json, here or above)',
    ),
    completes: 'file' as const,
  },
  {
    ...flag('plugin', 'NAME', 'an output of another package: the name of the package, or a file'),
    many: true,
  },
  {
    ...flag(
      'enums',
      'MODE',
      'with --out, whether enums with x-enum-varnames or x-enumNames are constants too (default: types)',
    ),
    choices: enumModes,
  },
  {
    ...flag(
      'import-extension',
      'END',
      'with --out, how imports of generated files end; ts is for Node without a compiler (default: js)',
    ),
    choices: importExtensions,
  },
  {
    ...flag(
      'dates',
      'MODE',
      'with --out, whether types, validators and client have dates as strings, as Date or as Temporal (default: text)',
    ),
    choices: dateModes,
  },
  {
    ...flag(
      'int64',
      'MODE',
      'with --out, whether types, validators and client have int64 as number or as bigint (default: number)',
    ),
    choices: int64Modes,
  },
  toggle(
    'isolated-declarations',
    'with --out, annotate the type of each validator, for programs compiled with this option',
  ),
  toggle(
    'check',
    'write nothing; list different, missing and stray files and exit 1 if there are any',
  ),
  toggle(
    'strict',
    'reject a document with any error, instead of leaving out the part with the error',
  ),
  toggle('watch', 'generate again whenever a file of a document or the configuration changes'),
  toggle('allow-refs', 'follow references to other folders and to URLs'),
  toggle('no-cache', 'generate everything, even if nothing has changed since the last run'),
  toggle('quiet', 'print only errors'),
  toggle('verbose', `print every warning, not the first ${warningLimit} of a kind`),
]

type CommandLine = Arguments<(typeof flags)[number]['name']>

const program: Program<(typeof flags)[number]['name']> = {
  name: 'farebox-codegen',
  summary: `turns an OpenAPI 3.0, 3.1 or 3.2 document, or one of Swagger 2.0, into ${emitters.map(({ name }) => name).join(', ')}`,
  version: readVersion(),
  operands: [{ name: 'command', required: false, choices: ['generate', 'init'] }],
  flags,
  notes: [
    {
      title: 'Exit codes:',
      text: '0 done, 1 nothing could be generated or drift, 2 wrong usage, 70 internal error of the generator.',
    },
  ],
  examples: [
    'farebox-codegen --spec openapi.yaml --out src/api',
    'farebox-codegen init      # writes farebox.config.ts and the outputs',
    'farebox-codegen           # generates what farebox.config.ts says',
    'farebox-codegen --check',
  ],
}

const initProgram: Program<'spec' | 'out' | 'only' | 'yes'> = {
  name: 'farebox-codegen init',
  summary:
    'writes farebox.config.ts from the files of the folder and, on a terminal, by asking you. Then generates the outputs',
  operands: [],
  flags: [
    flag(
      'spec',
      'FILE',
      'the document: a file or a URL (default: the first one found in this folder)',
    ),
    flag('out', 'DIR', 'the folder of the outputs'),
    flag(
      'only',
      'LIST',
      'the outputs, separated by commas (default: those that fit the dependencies of this project)',
    ),
    toggle('yes', 'skip the questions'),
  ],
  examples: [
    'farebox-codegen init',
    'farebox-codegen init --spec openapi.yaml --out src/api --yes',
    'farebox-codegen init --spec https://petstore.example/openapi.json --yes',
  ],
}

/** Runs the command and resolves to its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const streams = {
    environment: io.env,
    out: createLineStream(io.out),
    err: createLineStream(io.error),
  }
  try {
    if (argv[0] === 'init')
      return await runProgram(initProgram, argv.slice(1), streams, async (args) =>
        runInit(args, io, () => runProgram(program, ['--quiet'], streams, (args) => run(args, io))),
      )
    return await runProgram(program, argv, streams, (args) => run(args, io))
  } catch (error) {
    if (error instanceof Error && error.name === 'MissingPackageError') {
      io.error(error.message)
      return exitCodes.usage
    }
    if (error instanceof Error && error.name === 'WriteError') {
      io.error(error.message)
      io.error(
        '    to do     remove what is in the way, make it writable, or choose another folder: --out, or `out` in the configuration',
      )
      return exitCodes.failed
    }
    io.error('Internal error of the generator, not of the document. Nothing was written.')
    io.error(`    found     ${error instanceof Error ? error.message : 'an unknown error'}`)
    io.error(
      '    to do     report this with the command and, if possible, the document; FAREBOX_DEBUG=1 prints the stack',
    )
    if (io.env['FAREBOX_DEBUG'] !== undefined && error instanceof Error) io.error(error.stack ?? '')
    return exitCodes.internal
  }
}

function createLineStream(write: (line: string) => void) {
  return { write: (text: string) => write(text.replace(/\n$/, '')) }
}

async function runInit(
  args: Arguments<'spec' | 'out' | 'only' | 'yes'>,
  io: Io,
  generate: () => Promise<number>,
): Promise<number> {
  const { init } = await import('./init.js')
  return init(
    {
      spec: args.text('spec'),
      out: args.text('out'),
      only: readOutputNames(args),
      yes: args.has('yes'),
    },
    io,
    generate,
  )
}

async function run(args: CommandLine, io: Io): Promise<number> {
  const [word = 'generate'] = args.operands
  if (word !== 'generate')
    throw new UsageError(
      `Found the command ${JSON.stringify(word)}, expected generate or init. Name a document with --spec FILE.`,
    )
  if (args.has('check') && args.has('watch'))
    throw new UsageError('--check and --watch exclude each other.')
  const overrides = readOverrides(args, io)
  const read = async (): Promise<Plan> => readPlan(args.text('config'), overrides)
  const plan = await read()
  if (args.has('watch') && plan.jobs.every(({ options }) => isStream(options.spec)))
    throw new UsageError(
      '--watch needs a document in a file: changes of another one cannot be seen.',
    )
  const verbosity = args.has('quiet') ? 'quiet' : args.has('verbose') ? 'verbose' : 'normal'
  const results = new Map<string, JobResult>()
  const runAll = async (jobs: readonly Job[]): Promise<void> => {
    for (const job of jobs) {
      if (plan.jobs.length > 1 && verbosity !== 'quiet') io.out(`${job.options.spec}:`)
      results.set(job.key, await runJob(job, args.has('check'), verbosity, io))
    }
  }
  await runAll(plan.jobs)
  if (!args.has('watch'))
    return Math.max(exitCodes.ok, ...[...results.values()].map(({ code }) => code))
  const watch = watchPlan(
    plan,
    { read, run: runAll, listFiles: ({ key }) => results.get(key)?.files ?? [] },
    io,
  )
  io.out(
    `Watching ${plan.jobs.map(({ options }) => options.spec).join(', ')} and the files that belong to it. Stop with Ctrl+C.`,
  )
  await watch
  return exitCodes.ok
}

function readOverrides(args: CommandLine, { cwd, env, stdin }: Io): Overrides {
  const [spec, out, extension] = [
    args.text('spec'),
    args.text('out'),
    args.choice('import-extension', importExtensions),
  ]
  const [dates, int64] = [args.choice('dates', dateModes), args.choice('int64', int64Modes)]
  if (
    spec !== undefined &&
    isUrl(spec) &&
    !(URL.canParse(spec) && /^https?:$/.test(new URL(spec).protocol))
  )
    throw expected('--spec', spec, 'a file, -, or an http URL')
  return {
    cwd,
    spec,
    settings: {
      ...readInputFlags(args),
      ...(out !== undefined && { out }),
      ...(args.has('allow-refs') && { allowRefs: true }),
      ...(args.has('strict') && { strict: true }),
      ...(extension !== undefined && { importExtension: extension }),
      ...(dates !== undefined && { dates }),
      ...(int64 !== undefined && { int64 }),
    },
    plugins: args.all('plugin'),
    only: readOutputNames(args),
    options: readOutputOptions(args),
    env,
    stdin,
    cached: !args.has('no-cache'),
    command: formatCommand(args),
  }
}

/** The options of outputs, by output. */
function readOutputOptions(args: CommandLine): Overrides['options'] {
  const [flavour, formats] = [args.choice('zod', zodFlavours), args.choice('formats', formatModes)]
  const enums = args.choice('enums', enumModes)
  const tools = args.choice('mcp', toolModes)
  const names = readOutputNames(args) ?? ['zod']
  const both = formats && { formats }
  return {
    types: { ...(enums && { enums }) },
    check: { ...(names.includes('check') && both) },
    mcp: { ...(tools && { tools }) },
    client: Object.fromEntries(readLayers(args).map((layer) => [layer, 'on'])),
    zod: {
      ...(flavour && { flavour }),
      ...((names.includes('zod') || !names.includes('check')) && both),
      ...(args.has('isolated-declarations') && { declarations: 'stated' }),
    },
  }
}

function readLayers(args: CommandLine): readonly string[] {
  for (const layer of args.all('network'))
    if (!networkOptions.some((name) => name === layer))
      throw expected('--network', layer, `one of ${networkOptions.join(', ')}`)
  return networkOptions.filter((name) => args.all('network').includes(name))
}

function readOutputNames(args: Arguments<'only'>): readonly string[] | undefined {
  return args
    .text('only')
    ?.split(',')
    .map((name) => name.trim())
}

/** The command that writes these files, as named in their banners. */
function formatCommand(args: CommandLine): string {
  const [spec, config, out] = [args.text('spec'), args.text('config'), args.text('out')]
  const [zod, formats] = [args.text('zod'), args.text('formats')]
  const [enums, extension, dates] = [
    args.text('enums'),
    args.text('import-extension'),
    args.text('dates'),
  ]
  const plugins = args.all('plugin').map((name) => ` --plugin ${toPortablePath(name)}`)
  const only = readOutputNames(args) ?? []
  const chosen = [...emitters.map(({ name }) => name), ...only].filter(
    (name, index, all) => only.includes(name) && all.indexOf(name) === index,
  )
  const isDefault = chosen.every((name) => defaultOutputs.some((emitter) => emitter.name === name))
  const options = [
    spec === undefined ? '' : ` --spec ${isStream(spec) ? stripQuery(spec) : toPortablePath(spec)}`,
    config === undefined ? '' : ` --config ${toPortablePath(config)}`,
    formatInputFlags(args),
    out === undefined ? '' : ` --out ${toPortablePath(out)}`,
    plugins.join(''),
    isDefault ? '' : ` --only ${chosen.join()}`,
    zod === undefined || zod === 'full' ? '' : ` --zod ${zod}`,
    formats === undefined || formats === 'assert' ? '' : ` --formats ${formats}`,
    dates === undefined || dates === 'text' ? '' : ` --dates ${dates}`,
    args.text('int64') === 'bigint' ? ' --int64 bigint' : '',
    args.has('isolated-declarations') ? ' --isolated-declarations' : '',
    args.text('mcp') === 'search' ? ' --mcp search' : '',
    ...readLayers(args).map((layer) => ` --network ${layer}`),
    enums === undefined || enums === 'types' ? '' : ` --enums ${enums}`,
    extension === undefined || extension === 'js' ? '' : ` --import-extension ${extension}`,
  ]
  return `${program.name}${options.join('')}`
}

/** Absolute paths differ between machines, so they stay out of the output. */
function toPortablePath(path: string): string {
  const normal = normalizePath(path)
  return normal.startsWith('/') || /^[a-z]:/i.test(path)
    ? (normal.split('/').at(-1) ?? path)
    : normal
}

function flag<Name extends string>(name: Name, value: string, help: string): Flag<Name> {
  return { name, kind: 'text', value, help }
}

function toggle<Name extends string>(name: Name, help: string): Flag<Name> {
  return { name, kind: 'switch', help }
}

function readVersion(): string {
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  return manifest.version
}
