import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  exitCodes,
  runProgram,
  UsageError,
  type Arguments,
  type Command,
  type Program,
  type World,
} from '@farebox/command-line'
import { ScaffoldError, type Addition, type SourceReader } from './addition.js'
import { addMiddleware } from './middleware.js'
import { addOperation } from './operation.js'
import { addOutput } from './output.js'
import { addRail } from './rail.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

const oxfmt = join(root, 'node_modules/.bin/oxfmt')

type Kind = Command & {
  readonly add: (args: Arguments, name: string, read: SourceReader) => Addition
}

const NAME = [{ name: 'NAME', required: true }]

const kinds: readonly Kind[] = [
  {
    name: 'operation',
    summary: 'add an operation',
    details: 'NAME is in camelCase, as in getStatus.',
    operands: NAME,
    flags: [
      { name: 'path', kind: 'text', value: 'PATH', help: 'below /api/v1, for example /status' },
      {
        name: 'like',
        kind: 'text',
        value: 'OPERATION',
        help: 'an operation to copy, with its method, bodies, responses, price, security, examples, samples and handler (default: none, for a GET)',
      },
    ],
    examples: [
      'pnpm new operation getStatus --path /status',
      'pnpm new operation extractTables --like parseText --path /augment/tables',
    ],
    add: (given, name, read) =>
      addOperation(
        { name, path: readRequired(given, 'path'), like: given.text('like'), now: Date.now() },
        read,
      ),
  },
  {
    name: 'middleware',
    summary: 'add a middleware',
    details: 'NAME is in camelCase, as in logCalls.',
    operands: NAME,
    flags: [{ name: 'package', kind: 'text', value: 'PACKAGE', help: 'auth or retry' }],
    examples: ['pnpm new middleware logCalls --package retry'],
    add: (given, name, read) =>
      addMiddleware({ name, package: readRequired(given, 'package') }, read),
  },
  {
    name: 'output',
    summary: 'add an output of the generator, and its package',
    details: 'NAME is in camelCase, as in msw.',
    operands: NAME,
    flags: [],
    examples: ['pnpm new output msw'],
    add: (_, name, read) => addOutput({ name }, read),
  },
  {
    name: 'rail',
    summary: 'add a payment rail',
    details: 'NAME is in camelCase, as in stellar.',
    operands: NAME,
    flags: [],
    examples: ['pnpm new rail stellar'],
    add: (_, name, read) => addRail({ name }, read),
  },
]

const program: Program<string, Kind> = {
  name: 'pnpm new',
  summary:
    'adds an operation, an output, a middleware or a payment rail in every place that needs it, and lists what is left for you to decide',
  operands: [],
  flags: [
    { name: 'root', kind: 'text', value: 'FOLDER', help: 'the repository (default: this one)' },
  ],
  commands: kinds,
  notes: [],
  examples: [],
}

/**
 * Runs the command with these arguments. Exit codes: 0 done, 2 wrong usage or nothing to add.
 * Nothing is written unless everything can be.
 */
export function scaffold(args: readonly string[], world: World): Promise<number> {
  return runProgram(program, args, world, (args, kind) => {
    const [name = ''] = args.operands
    const into = args.text('root') ?? root
    try {
      const addition = kind?.add(args, name, (path) => readFileSync(join(into, path), 'utf8')) ?? {
        files: [],
        next: [],
      }
      write(into, addition)
      world.out.write(`${report(addition)}\n`)
      return exitCodes.ok
    } catch (error) {
      throw error instanceof ScaffoldError ? new UsageError(error.message) : error
    }
  })
}

function readRequired(args: Arguments, flag: string): string {
  const value = args.text(flag)
  if (value === undefined) throw new ScaffoldError(`--${flag} is missing.`)
  return value
}

function write(root: string, { files }: Addition): void {
  for (const { path, isNew } of files) {
    if (isNew && existsSync(join(root, path)))
      throw new ScaffoldError(`${path} exists already; choose another name.`)
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const sources = files.map(({ path }) => path).filter((path) => path.endsWith('.ts'))
  execFileSync(oxfmt, ['--config', '.oxfmtrc.json', ...sources], { cwd: root, stdio: 'pipe' })
}

function report({ files, next }: Addition): string {
  const written = files.map(({ path, isNew }) => `${isNew ? 'new    ' : 'changed'}  ${path}`)
  return [...written, '', 'Next:', ...next.map((step, index) => `${index + 1}. ${step}`)].join('\n')
}
