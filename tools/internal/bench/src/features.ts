import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { cache } from '@farebox/testing/install-package'
import { listPeers, tokenUrl, type Peer } from './features/peers.js'
import { findNewerNode } from '@farebox/testing/runtimes'
import { probes, type Probe, type CallObservation } from './features/probes.js'
import { root } from './measure.js'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { build } from 'esbuild'

const work = join(cache, 'features')

/** Each feature with each generator: generated and run. */
export async function benchmarkFeatures(args: Arguments): Promise<void> {
  rmSync(work, { recursive: true, force: true })
  const [node, all] = [findNewerNode(), listPeers()]
  const outcomes: Record<string, Record<string, Outcome>> = {}
  for (const [index, probe] of probes.entries()) {
    const row: Record<string, Outcome> = {}
    for (const [at, peer] of all.entries())
      row[peer.name] = await runProbe(peer, probe, join(work, `${index}-${at}`), node)
    outcomes[probe.feature] = row
    console.log(
      `${probe.feature}: ${all.map(({ name }) => `${name} ${row[name]?.has === true ? 'yes' : `no (${row[name]?.why})`}`).join('; ')}`,
    )
  }
  const cells = Object.entries(outcomes).map(([feature, row]) => [
    feature,
    Object.fromEntries(Object.entries(row).map(([name, { has }]) => [name, has ? 'yes' : 'no'])),
  ])
  console.table(Object.fromEntries(cells))
  if (!args.has('save')) return
  const found = { generators: all.map(({ name }) => name), outcomes }
  writeFileSync(
    join(root, 'tools/internal/bench/results/features.json'),
    `${JSON.stringify(found, undefined, 2)}\n`,
  )
}

/** Whether a generator has a feature, and why not. */
type Outcome = { readonly has: boolean; readonly why?: string }

/** Generates, and runs the output. */
async function runProbe(peer: Peer, probe: Probe, cwd: string, node: string): Promise<Outcome> {
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(probe.document))
  if ('other' in probe) return probeOutput(peer, probe, cwd)
  const rejected = peer.make(cwd, probe.ownServer === true)
  if (rejected !== undefined)
    return { has: false, why: `rejects the document: ${findLastLine(rejected)}` }
  if (!existsSync(join(cwd, peer.entries.functions))) return { has: false, why: 'writes nothing' }
  if ('program' in probe) return compileProgram(peer, probe, cwd)
  if ('oauth' in probe && peer.callWithOAuth === undefined)
    return { has: false, why: 'its client takes a token, and requests none' }
  try {
    const seen = await runCall(peer, probe, cwd, node)
    return probe.holds(seen) ? { has: true } : { has: false, why: describe(seen) }
  } catch (error) {
    return { has: false, why: `fails: ${findLastLine((error as Error).message)}` }
  }
}

/** Generates for another language or framework, and looks for what the output must have. */
function probeOutput(
  { others }: Peer,
  { other, words }: Extract<Probe, { readonly other: string }>,
  cwd: string,
): Outcome {
  const make = others?.[other]
  if (make === undefined) return { has: false, why: 'has no such output' }
  const rejected = make(cwd)
  if (rejected !== undefined) return { has: false, why: `fails: ${findLastLine(rejected)}` }
  const files = readdirSync(join(cwd, 'out'), { recursive: true, withFileTypes: true })
  const text = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    .join('\n')
  const lost = words.find((word) => !text.includes(word))
  return lost === undefined ? { has: true } : { has: false, why: `does not write ${lost}` }
}

/** A probe that is a call. */
type CallProbe = Extract<Probe, { readonly holds: unknown }>

/** What a call sent and got, in a process that has nothing else. */
async function runCall(
  peer: Peer,
  probe: CallProbe,
  cwd: string,
  node: string,
): Promise<CallObservation> {
  writeFileSync(join(cwd, 'run.ts'), printRunner(peer, probe))
  const outfile = join(cwd, 'run.mjs')
  await build({
    entryPoints: [join(cwd, 'run.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
  })
  const { status, stdout, stderr } = spawnSync(node, [outfile], {
    cwd,
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (status !== 0) throw new Error(stderr.trim() || 'no response')
  return JSON.parse(stdout) as CallObservation
}

function printRunner(peer: Peer, probe: CallProbe): string {
  const isOAuth = 'oauth' in probe
  const { input, answer: response = { type: 'application/json', body: '{}' } } = isOAuth
    ? { input: {} }
    : probe
  const ownServer = probe.ownServer === true
  const call = isOAuth ? (peer.callWithOAuth ?? '') : peer.call(ownServer)
  return `const requests = []
globalThis.fetch = async (target, init = {}) => {
  const request = new Request(target, { ...init, ...(init.body && { duplex: 'half' }) })
  const { url, method, headers } = request
  requests.push({ url, method, cookie: headers.get('cookie') ?? '', authorization: headers.get('authorization') ?? '', body: await request.text() })
  // the first token is rejected
  const tokens = requests.filter((one) => one.url === '${tokenUrl}').length
  if (url === '${tokenUrl}') return Response.json({ access_token: 'token-' + tokens, token_type: 'Bearer', expires_in: 3600 })
  if (headers.get('authorization') === 'Bearer token-1') return new Response(undefined, { status: 401 })
  // what streams stays open, so that an item is seen before the end
  const open = ${String(response.type !== 'application/json')}
  const body = new ReadableStream({ start: (to) => (to.enqueue(new TextEncoder().encode(${JSON.stringify(response.body)})), open || to.close()) })
  return new Response(body, { headers: { 'content-type': ${JSON.stringify(response.type)} } })
}
const revive = (value) => (typeof value !== 'string' ? value : value.startsWith('bigint ') ? BigInt(value.slice(7)) : value.startsWith('Date ') ? new Date(value.slice(5)) : value)
const input = JSON.parse(${JSON.stringify(JSON.stringify(input))}, (_, value) => revive(value))
const shown = (value) => JSON.stringify(value, function (key, item) {
  const own = this[key]
  return typeof own === 'bigint' ? 'bigint ' + own : own instanceof Date ? 'Date ' + own.toISOString() : item instanceof Response ? 'Response' : item
})
const module = await import('./${peer.entries.functions}')
const later = new Promise((resolve) => setTimeout(resolve, 3000, undefined))
const result = await Promise.race([(async () => ${call})(), later])
const found = [result?.data, result?.stream, result].find((one) => typeof one?.[Symbol.asyncIterator] === 'function' && !(one instanceof ReadableStream))
const item = found === undefined ? undefined : (await Promise.race([found[Symbol.asyncIterator]().next(), later]))?.value
process.stdout.write(shown({ requests, item, result: found === undefined ? result : 'items' }), () => process.exit(0))
`
}

function compileProgram(
  peer: Peer,
  { types, program }: Extract<Probe, { readonly program: string }>,
  cwd: string,
): Outcome {
  writeFileSync(
    join(cwd, 'program.ts'),
    `import type { ${types.join()} } from './${peer.entries.types.replace(/\.ts$/, '.js')}'\n${program}\n`,
  )
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: [],
  }
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  )
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', cwd], { cwd, encoding: 'utf8' })
  if (stdout.startsWith('error')) throw new Error(stdout)
  const fault = stdout.split('\n').find((line) => line.startsWith('program.ts'))
  return fault === undefined
    ? { has: true }
    : {
        has: false,
        why: `its types do not say it: ${fault.replace(/^.*?error TS\d+: /, '').slice(0, 160)}`,
      }
}

function describe({ requests, result, item }: CallObservation): string {
  const [request] = requests
  if (request === undefined) return 'sends nothing'
  const { method, url, body, cookie } = request
  const sent = `sends ${method} ${url}${cookie === '' ? '' : `, cookie ${cookie}`}${body === '' ? '' : `, ${JSON.stringify(body.slice(0, 60))}`}`
  return `${sent}; gives ${JSON.stringify(item ?? result)?.slice(0, 80) ?? 'nothing'}`
}

/** The last line with words, as what comes before is often a stack or a banner. */
function findLastLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = text.replaceAll(/\u001B\[[\d;]*m/g, '')
  const lines = plain.split('\n').map((line) => line.trim())
  const told = lines.find((line) =>
    /error:|cannot|could not|unable|missing|not found|invalid|unresolved/i.test(line),
  )
  return (told ?? lines.findLast((line) => /\w/.test(line)) ?? '')
    .replaceAll(cache, '')
    .slice(0, 160)
}
