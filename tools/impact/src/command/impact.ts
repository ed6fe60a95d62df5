import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  exitCodes,
  UsageError,
  type Arguments,
  type Program,
  type World,
} from '@farebox/command-line'
import { compareContracts } from '@farebox/spec-diff'
import { findImpact, makePathsRelative } from '../find/find-impact.js'
import { fix } from '../fix/fix.js'
import { readBoth, readOne, readProgram } from '../find/read-input.js'
import { move } from '../move/move.js'
import type { Ask } from '../renamed/confirm-renames.js'
import { formats, report } from '../report/report.js'
import { runReporting, readPackageVersion, warnTo } from './run-here.js'

const limits = ['none', 'breaking', 'any'] as const
const libraries = ['openapi-fetch'] as const

type FlagName =
  | 'spec'
  | 'project'
  | 'format'
  | 'fail-on'
  | 'allow-refs'
  | 'fix'
  | 'dry-run'
  | 'force'
  | 'renamed'
  | 'from'
  | 'api'

const program: Program<FlagName> = {
  name: 'farebox-impact',
  summary:
    'lists the lines of your TypeScript that a change of an OpenAPI document touches, and fixes what is certain',
  details: `BASE is the version that the generated code in use was made from: a git revision, REVISION:PATH, a file or a URL. HEAD is the newer
one; without it, the file as it is now. The code is read with the generated code of BASE, before that is generated again.

With --from openapi-fetch, BASE is the document of a project that uses openapi-fetch. The command lists what it can write for the client that
farebox-codegen generates, and what it leaves to you. With --fix it writes it.`,
  version: readPackageVersion(),
  operands: [
    { name: 'BASE', required: true, completes: 'file' },
    { name: 'HEAD', required: false, completes: 'file' },
  ],
  flags: [
    {
      name: 'spec',
      kind: 'text',
      value: 'FILE',
      help: 'the document within a revision',
      fallback: 'spec/openapi.yaml',
      completes: 'file',
    },
    {
      name: 'project',
      kind: 'text',
      value: 'FILE',
      help: 'the tsconfig.json of the code',
      fallback: 'tsconfig.json',
      completes: 'file',
    },
    {
      name: 'format',
      kind: 'text',
      value: 'FORMAT',
      choices: formats,
      fallback: 'text',
      help: `how to print the places: ${formats.join(', ')}. markdown is for a pull request, sarif for code scanning, github for annotations`,
    },
    {
      name: 'fail-on',
      kind: 'text',
      value: 'LEVEL',
      choices: limits,
      fallback: 'none',
      help: 'fail if a place breaks the compile (breaking), or if there is any place (any)',
    },
    {
      name: 'fix',
      kind: 'switch',
      help: 'make the edits that are certain, and print the reason of each',
    },
    {
      name: 'dry-run',
      kind: 'switch',
      help: 'with --fix: write nothing, and print the edits as a diff for git apply',
    },
    {
      name: 'force',
      kind: 'switch',
      help: 'with --fix: write also into a git tree with changes, or without git',
    },
    {
      name: 'renamed',
      kind: 'text',
      value: 'OLD=NEW',
      many: true,
      help: 'with --fix: a possible rename to confirm, such as Job.note=remark; once for each. On a terminal, --fix asks about the others',
    },
    {
      name: 'from',
      kind: 'text',
      value: 'LIBRARY',
      choices: libraries,
      help: 'the library that the code is moved from: openapi-fetch',
    },
    {
      name: 'api',
      kind: 'text',
      value: 'FOLDER',
      help: 'with --from: the folder of the generated client, which is the --out of farebox-codegen',
      fallback: 'src/api',
      completes: 'file',
    },
    { name: 'allow-refs', kind: 'switch', help: 'follow references to other folders and to URLs' },
  ],
  notes: [
    {
      title: 'Exit codes:',
      text: '0 done, 1 a document or the project cannot be read, --fail-on failed or --fix was rejected, 2 wrong usage, 70 internal error.',
    },
  ],
  examples: [
    'farebox-impact main',
    'farebox-impact old.yaml new.yaml --project app/tsconfig.json',
    'farebox-impact v1.2.0 --format markdown --fail-on any',
    'farebox-impact v1.2.0 --fix --dry-run',
    'farebox-impact v1.2.0 --fix --renamed Job.note=remark',
    'farebox-impact openapi.yaml --from openapi-fetch --fix',
  ],
}

/** Moves a project from another library to the client that is generated from a document. */
async function moveFrom(args: Arguments<FlagName>, project: string, world: World): Promise<number> {
  const [spec = '', more] = args.operands
  if (more !== undefined)
    throw new UsageError('--from takes one document: that of the generated client.')
  if (args.all('renamed').length > 0)
    throw new UsageError('--renamed is for a newer document, and --from takes one document.')
  const options = { spec, cwd: process.cwd(), allowRefs: args.has('allow-refs') }
  const contract = await readOne(spec, { ...options, warn: warnTo(world) })
  return move(contract, {
    project,
    api: resolve(args.text('api') ?? ''),
    cwd: options.cwd,
    isFix: args.has('fix'),
    isDry: args.has('dry-run'),
    isForced: args.has('force'),
    world,
  })
}

/**
 * Runs `farebox-impact` in the current folder, and gives its exit code.
 *
 * @param ask asks about possible renames; undefined without a terminal
 */
export async function impact(
  args: readonly string[],
  world: World,
  ask: Ask | undefined,
): Promise<number> {
  return runReporting(world, args, program, (given) => run(given, world, ask))
}

async function run(args: Arguments<FlagName>, world: World, ask: Ask | undefined): Promise<number> {
  const isFix = args.has('fix')
  for (const flag of ['dry-run', 'force', 'renamed'] as const)
    if ((args.has(flag) || (flag === 'renamed' && args.all(flag).length > 0)) && !isFix)
      throw new UsageError(`--${flag} is for --fix, which is not given.`)
  const project = resolve(args.text('project') ?? '')
  if (args.choice('from', libraries) !== undefined) return moveFrom(args, project, world)
  const spec = args.text('spec') ?? ''
  const [from = '', to = spec] = args.operands
  const options = { spec, cwd: process.cwd(), allowRefs: args.has('allow-refs') }
  const { base, head } = await readBoth(from, to, { ...options, warn: warnTo(world) })
  if (isFix) {
    const read = { base, head, program: readProgram(project) }
    const confirming = { renamed: args.all('renamed'), ask }
    return fix(read, {
      project,
      cwd: options.cwd,
      isDry: args.has('dry-run'),
      isForced: args.has('force'),
      world,
      ...confirming,
    })
  }
  const changes = compareContracts(base, head)
  collectGarbage()
  const program = readProgram(project)
  const impact = makePathsRelative(options.cwd, findImpact({ base, head, changes, program }))
  world.out.write(
    `${report(impact, args.choice('format', formats) ?? 'text', readPackageVersion())}\n`,
  )
  const limit = args.choice('fail-on', limits) ?? 'none'
  const failing =
    limit === 'none' ? [] : impact.touches.filter(({ compiler }) => limit === 'any' || compiler)
  return failing.length > 0 ? exitCodes.failed : exitCodes.ok
}

/**
 * Frees what is no longer needed, before the next step needs as much: left to itself, the collector
 * lets both add up. Node has a function for it behind a flag.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
