// The verdicts of one generator on the cases of one file, in a process and a folder of its own: what it prints and leaves behind stays there.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { documentOf } from './verdict-cases.mjs'
import { peers } from './verdict-peers.mjs'

/** @typedef {import('./verdict-cases.mjs').Case} Case */
/** @typedef {'right' | 'accepted' | 'refused' | 'failed'} Verdict */

const [peerName = '', place = '', file = ''] = process.argv.slice(2)
const work = process.cwd()
/** @type {readonly Case[]} */
const cases = JSON.parse(readFileSync(file, 'utf8'))
const peer = await peers[peerName]?.load(place)
if (peer === undefined) throw new Error(`There is no generator ${JSON.stringify(peerName)}.`)

mkdirSync(join(work, 'node_modules'), { recursive: true })
symlinkSync(fileURLToPath(new URL('../../codegen/node_modules/zod', import.meta.url)), join(work, 'node_modules/zod'))

let rounds = 0
/** @type {Map<string, string>} */
const failures = new Map()
/** @type {{ readonly rule: string, readonly test: string, readonly verdict: Verdict, readonly because?: string }[]} */
const verdicts = []
const together = cases.filter(({ alone }) => !alone)
const found = await validatorsOf(together)
for (const one of cases.filter(({ alone }) => alone)) for (const entry of await validatorsOf([one])) found.set(...entry)
for (const { name, rule, tests } of cases) {
  for (const { description, data, valid } of tests) verdicts.push({ rule, test: description, ...verdictOf(name, data, valid) })
}
process.send?.({ verdicts })

/**
 * The validators of some cases, from one document where that goes well. Where it does not, those that the complaint names are tried
 * alone and the rest again without them; where it names none, each half is tried.
 * @param {readonly Case[]} some
 * @returns {Promise<Map<string, { safeParse: (value: unknown) => { readonly success: boolean } }>>}
 */
async function validatorsOf(some) {
  if (some.length === 0) return new Map()
  try {
    const module = await moduleOf(some)
    return new Map(some.flatMap(({ name }) => (module[peer.schema(name)] === undefined ? [] : [[name, module[peer.schema(name)]]])))
  } catch (error) {
    const said = saidOf(error)
    if (some.length === 1) {
      failures.set(some[0]?.name ?? '', said.replace(/\s+/g, ' ').trim().slice(0, 300))
      return new Map()
    }
    const named = new Set([...said.matchAll(/\bcase\d+\b/gi)].map(([name]) => name.toLowerCase()))
    const suspects = some.filter(({ name }) => named.has(name.toLowerCase()))
    const parts =
      suspects.length === 0 || suspects.length === some.length
        ? [some.slice(0, some.length / 2), some.slice(some.length / 2)]
        : [...suspects.map((one) => [one]), some.filter((one) => !suspects.includes(one))]
    const maps = []
    for (const part of parts) maps.push(await validatorsOf(part))
    return new Map(maps.flatMap((map) => [...map]))
  }
}

/**
 * The messages of an error and of what caused it, then where it happened.
 * @param {unknown} error
 * @returns {string}
 */
function saidOf(error) {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message, stack, cause, originalError, errors = [], error: inner } = /** @type {*} */ (error)
  const causes = [cause, originalError, inner, ...errors].filter((one) => one !== undefined)
  return [message, ...causes.map(saidOf), stack].filter((text) => text !== undefined).join('\n')
}

/**
 * What a generator makes of some cases, imported as a program would.
 * @param {readonly Case[]} some
 */
async function moduleOf(some) {
  rounds += 1
  process.send?.({ progress: `document ${rounds}: ${some.length === 1 ? some[0]?.rule : `${some.length} schemas`}` })
  const document = `document-${rounds}.json`
  writeFileSync(join(work, document), JSON.stringify(documentOf(some)))
  const made = join(work, await peer.make(work, document, `out-${rounds}`))
  if (!existsSync(made)) throw new Error('nothing was generated')
  const outfile = join(work, `module-${rounds}.mjs`)
  await build({ entryPoints: [made], bundle: true, external: ['zod'], format: 'esm', target: 'es2022', outfile, logLevel: 'silent' })
  try {
    return await import(pathToFileURL(outfile).href)
  } catch (error) {
    throw new Error(`not importable at ${exportAt(outfile, error)}`, { cause: error })
  }
}

/**
 * The last case that a module names at or before the line where it threw.
 * @param {string} module
 * @param {unknown} error
 */
function exportAt(module, error) {
  const [, line] = /module-\d+\.mjs:(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '') ?? []
  if (line === undefined) return ''
  const before = readFileSync(module, 'utf8').split('\n').slice(0, Number(line)).join('\n')
  return [...before.matchAll(/case\d+/gi)].at(-1)?.[0] ?? ''
}

/**
 * @param {string} name
 * @param {unknown} data
 * @param {boolean} valid
 * @returns {{ readonly verdict: Verdict, readonly because?: string }}
 */
function verdictOf(name, data, valid) {
  const validator = found.get(name)
  if (validator === undefined) return { verdict: 'failed', because: failures.get(name) ?? 'no validator has its name' }
  try {
    const { success } = validator.safeParse(data)
    return { verdict: success === valid ? 'right' : success ? 'accepted' : 'refused' }
  } catch (error) {
    return { verdict: 'failed', because: `it throws ${error instanceof Error ? error.message : String(error)}` }
  }
}
