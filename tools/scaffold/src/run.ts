import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ScaffoldError, type Addition, type Read } from './addition.js'
import { middleware } from './middleware.js'
import { operation } from './operation.js'

const usage = `Usage: pnpm new operation NAME --method METHOD --path PATH
       pnpm new middleware NAME --package auth|retry

Adds an operation or a middleware in every place that needs it, and lists what is left for you to decide.

  NAME        in camelCase: getStatus, logCalls
  --method    GET, POST, PUT, PATCH or DELETE
  --path      below /api/v1, for example /status
  --package   auth or retry
  --root      the repository (default: this one)
  --help      this text

An output and a payment rail are added by hand. CONTRIBUTING.md has the steps.`

const options = {
  method: { type: 'string' },
  path: { type: 'string' },
  package: { type: 'string' },
  root: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = { readonly [Name in 'method' | 'path' | 'package']?: string }

process.exitCode = main(process.argv.slice(2))

/**
 * Exit codes: 0 done, 2 wrong usage or nothing to add. Nothing is written unless everything can be.
 */
function main(args: readonly string[]): number {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (values.help === true) return print(usage)
    const root = values.root ?? fileURLToPath(new URL('../../..', import.meta.url))
    const addition = additionOf(positionals, values, (path) => readFileSync(join(root, path), 'utf8'))
    write(root, addition)
    return print(report(addition))
  } catch (error) {
    if (!(error instanceof ScaffoldError) && !isUsageError(error)) throw error
    process.stderr.write(`${error.message}\n\npnpm new --help lists the options.\n`)
    return 2
  }
}

function additionOf([kind, name, ...rest]: readonly string[], { method, path, package: target }: Values, read: Read): Addition {
  if (rest.length > 0) throw new ScaffoldError(`There is an argument too many: ${rest[0]}.`)
  if (name === undefined) throw new ScaffoldError('The kind or the name is missing; expected for example: operation getStatus.')
  if (kind === 'operation')
    return operation({ name, method: given('--method', method), path: given('--path', path), now: Date.now() }, read)
  if (kind === 'middleware') return middleware({ name, package: given('--package', target) }, read)
  throw new ScaffoldError(`The kind is ${JSON.stringify(kind)}; expected operation or middleware.`)
}

function given(option: string, value: string | undefined): string {
  if (value === undefined) throw new ScaffoldError(`${option} is missing.`)
  return value
}

function write(root: string, { files }: Addition): void {
  for (const { path, isNew } of files) {
    if (isNew && existsSync(join(root, path))) throw new ScaffoldError(`${path} exists already; choose another name.`)
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

function report({ files, next }: Addition): string {
  const written = files.map(({ path, isNew }) => `${isNew ? 'new    ' : 'changed'}  ${path}`)
  return [...written, '', 'Next:', ...next.map((step, index) => `${index + 1}. ${step}`)].join('\n')
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function isUsageError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
