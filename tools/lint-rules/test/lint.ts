import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { rules } from '../src/index.js'

const source = fileURLToPath(new URL('../src', import.meta.url))
const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
const environment = {
  ...process.env,
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

type Problem = {
  readonly message: string
  readonly location: readonly {
    readonly pointer: string
    readonly source: { readonly ref: string }
  }[]
}

type Call = {
  readonly rule: keyof typeof rules
  readonly documents: Readonly<Record<string, object>>
}

/** The calls of concurrent tests, which one process of Redocly serves. */
let waiting: { readonly calls: Call[]; readonly problems: Promise<readonly Problem[]> } | undefined

/**
 * Lints documents with the real Redocly and one of our rules, compiled from its source here and
 * now. Returns the complaints about each document as `pointer: message`.
 */
export async function lint<Name extends string>(
  rule: keyof typeof rules,
  documents: Readonly<Record<Name, object>>,
): Promise<Record<Name, string[]>> {
  if (waiting === undefined) {
    const calls: Call[] = []
    waiting = { calls, problems: nextTurn().then(() => lintAll(calls)) }
  }
  const index = waiting.calls.push({ rule, documents }) - 1
  const problems = await waiting.problems
  const complaints = (name: string) =>
    problems
      .filter(({ location }) => basename(location[0]?.source.ref ?? '') === `${index}-${name}.json`)
      .map(formatComplaint)
  return Object.fromEntries(
    Object.keys(documents).map((name) => [name, complaints(name)]),
  ) as Record<Name, string[]>
}

async function lintAll(calls: readonly Call[]): Promise<readonly Problem[]> {
  waiting = undefined
  const folder = await mkdtemp(join(tmpdir(), 'lint-rules-'))
  try {
    await compilePlugin(join(folder, 'plugin'))
    const apis: Record<string, object> = {}
    for (const [index, { rule, documents }] of calls.entries())
      for (const [name, document] of Object.entries(documents)) {
        const root = `${index}-${name}.json`
        await writeFile(join(folder, root), JSON.stringify(document))
        apis[`${index}-${name}`] = { root, rules: { [`farebox/${rule}`]: 'error' } }
      }
    const config = join(folder, 'redocly.yaml')
    const settings = { telemetry: 'off', plugins: ['./plugin/index.js'], apis }
    await writeFile(config, JSON.stringify(settings))
    return parseProblems(await runRedocly(['lint', '--format', 'json', '--config', config]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the Redocly command line and returns its output, for a document with or without findings.
 */
export function runRedocly(parameters: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environment, maxBuffer: 32 * 1024 * 1024 }
    execFile(
      process.execPath,
      [join(dirname(manifest), 'bin/cli.js'), ...parameters],
      options,
      (error, stdout, stderr) => {
        if (error && stdout === '') reject(new Error(stderr, { cause: error }))
        else resolve(stdout)
      },
    )
  })
}

async function compilePlugin(folder: string): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const names = (await readdir(source)).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test'),
  )
  for (const name of names) {
    const text = await readFile(join(source, name), 'utf8')
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
    await writeFile(
      join(folder, name.replace(/ts$/, 'js')),
      ts.transpileModule(text, { compilerOptions }).outputText,
    )
  }
}

/** Redocly prints a JSON object for each document, one behind the other. */
function parseProblems(report: string): readonly Problem[] {
  const parts = report.match(/\{\n[\s\S]*?\n\}/g) ?? []
  return parts.flatMap((part) => (JSON.parse(part) as { problems: readonly Problem[] }).problems)
}

function formatComplaint(problem: Problem): string {
  return `${problem.location[0]?.pointer ?? ''}: ${problem.message}`
}
