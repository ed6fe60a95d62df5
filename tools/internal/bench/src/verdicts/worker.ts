// The verdicts of one generator on the cases of one file, in a process and a folder of its own,
// where its output and its files stay.
import { readFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { type Case, judge, type Judgement, toDocument } from './cases.js'
import { peers, type Peer } from './peers.js'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../measure.js'

export type Verdict = Judgement & { readonly rule: string; readonly test: string }

/** What the process sends. */
export type WorkerMessage =
  | { readonly progress: string }
  | { readonly verdicts: readonly Verdict[] }

const [peerName = '', place = '', file = ''] = process.argv.slice(2)
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[]
const peer = await peers[peerName]?.load(place)
if (peer === undefined) throw new Error(`There is no generator ${JSON.stringify(peerName)}.`)

const compileValidators = createValidators(peer, process.cwd(), (progress) => send({ progress }))
const found = new Map(await compileValidators(cases.filter(({ alone }) => !alone)))
for (const one of cases.filter(({ alone }) => alone))
  for (const [name, entry] of await compileValidators([one])) found.set(name, entry)
send({
  verdicts: cases.flatMap(({ name, rule, tests }) =>
    tests.map((test): Verdict => ({
      rule,
      test: test.description,
      ...judge(found.get(name) ?? new Error('no validator has its name'), test),
    })),
  ),
})

function send(message: WorkerMessage): void {
  process.send?.(message)
}

type SafeParse = (value: unknown) => { readonly success: boolean }
type Module = Readonly<Record<string, { readonly safeParse: SafeParse } | undefined>>

/** The validator of a case, or why there is none. */
type ValidatorResult = ((value: unknown) => boolean) | Error

/** Generates the validators of some cases by name. A missing entry has an unknown name. */
type CompileValidators = (some: readonly Case[]) => Promise<ReadonlyMap<string, ValidatorResult>>

/**
 * Generates from one document where that succeeds. Where it does not, the cases that the complaint
 * names are tried alone and the others again without them; where it names none, each half is tried.
 */
function createValidators(
  peer: Peer,
  work: string,
  progress: (text: string) => void,
): CompileValidators {
  mkdirSync(join(work, 'node_modules'), { recursive: true })
  symlinkSync(join(root, 'tools/codegen/node_modules/zod'), join(work, 'node_modules/zod'))
  let rounds = 0

  const loadModule = async (some: readonly Case[]): Promise<Module> => {
    rounds += 1
    progress(
      `document ${rounds}: ${some.length === 1 ? (some[0]?.rule ?? '') : `${some.length} schemas`}`,
    )
    const document = `document-${rounds}.json`
    writeFileSync(join(work, document), JSON.stringify(toDocument(some)))
    const made = join(work, await peer.make(work, document, `out-${rounds}`))
    if (!existsSync(made)) throw new Error('nothing was generated')
    const outfile = join(work, `module-${rounds}.mjs`)
    await build({
      entryPoints: [made],
      bundle: true,
      external: ['zod'],
      format: 'esm',
      target: 'es2022',
      outfile,
      logLevel: 'silent',
    })
    try {
      return (await import(pathToFileURL(outfile).href)) as Module
    } catch (error) {
      throw new Error(`not importable at ${exportAt(outfile, error)}`, { cause: error })
    }
  }

  const compileValidators: CompileValidators = async (some) => {
    if (some.length === 0) return new Map()
    try {
      const module = await loadModule(some)
      return new Map(
        some.flatMap(({ name }): [string, ValidatorResult][] => {
          const validator = module[peer.schema(name)]
          return validator === undefined
            ? []
            : [[name, (value) => validator.safeParse(value).success]]
        }),
      )
    } catch (error) {
      const text = describeError(error)
      const [first] = some
      if (first !== undefined && some.length === 1) {
        const because = text.replace(/\s+/g, ' ').trim().slice(0, 300)
        return new Map([[first.name, new Error(because)]])
      }
      const all: [string, ValidatorResult][] = []
      for (const part of splitCases(some, text)) all.push(...(await compileValidators(part)))
      return new Map(all)
    }
  }
  return compileValidators
}

function splitCases(some: readonly Case[], complaint: string): readonly (readonly Case[])[] {
  const named = new Set(
    [...complaint.matchAll(/\bcase\d+\b/gi)].map(([name]) => name.toLowerCase()),
  )
  const suspects = some.filter(({ name }) => named.has(name.toLowerCase()))
  return suspects.length === 0 || suspects.length === some.length
    ? [some.slice(0, some.length / 2), some.slice(some.length / 2)]
    : [...suspects.map((one) => [one]), some.filter((one) => !suspects.includes(one))]
}

/** The messages of an error and of its causes, then where it happened. */
function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const {
    message,
    stack,
    cause,
    originalError,
    errors = [],
    error: inner,
  } = error as {
    readonly message?: string
    readonly stack?: string
    readonly cause?: unknown
    readonly originalError?: unknown
    readonly errors?: readonly unknown[]
    readonly error?: unknown
  }
  const causes = [cause, originalError, inner, ...errors].filter((one) => one !== undefined)
  return [message, ...causes.map(describeError), stack]
    .filter((text) => text !== undefined)
    .join('\n')
}

/** The last case that a module names at or before the line where it threw. */
function exportAt(module: string, error: unknown): string {
  const [, line] =
    /module-\d+\.mjs:(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '') ?? []
  if (line === undefined) return ''
  const before = readFileSync(module, 'utf8').split('\n').slice(0, Number(line)).join('\n')
  return [...before.matchAll(/case\d+/gi)].at(-1)?.[0] ?? ''
}
