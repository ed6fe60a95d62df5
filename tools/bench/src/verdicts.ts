// how many verdicts of the public JSON Schema suite, said as OpenAPI 3.1 documents, generated zod validators get right
import { fork } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cache } from './lib/installed.mjs'
import { suites } from './lib/verdict-cases.mjs'
import { peers } from './lib/verdict-peers.mjs'

const usage = [
  'Usage: pnpm bench verdicts [--only NAME,NAME] [--list]\n',
  `  --only NAME,NAME  some of ${Object.keys(peers).join(', ')}`,
  '  --list            each verdict that is not right\n',
  'JSON_SCHEMA_SUITE=FOLDER adds the folder tests/draft2020-12 of a checkout of the suite.',
].join('\n')
const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } } })
const chosen = values.only?.split(',') ?? Object.keys(peers)
const unknown = chosen.filter((name) => !Object.hasOwn(peers, name))
if (values.help === true || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no generator ${unknown.join(', ')}.`)
  console.log(usage)
  process.exit(unknown.length > 0 ? 2 : 0)
}

const place = join(cache, 'verdicts')
for (const [index, { name, cases, left }] of (await suites()).entries()) {
  const file = join(place, `suite-${index}.json`)
  mkdirSync(place, { recursive: true })
  writeFileSync(file, JSON.stringify(cases))
  /** @type {Record<string, Record<string, string | number>>} */
  const table = {}
  for (const peer of chosen) {
    const title = peers[peer]?.title ?? peer
    const verdicts = await verdictsOf(peer, file, join(place, `${peer}-${index}`))
    const count = (/** @type {string} */ kind) => verdicts.filter(({ verdict }) => verdict === kind).length
    const right = count('right')
    table[title] = {
      right,
      'wrongly accepted': count('accepted'),
      'wrongly refused': count('refused'),
      'no verdict': count('failed'),
      'right, %': Math.floor((right / verdicts.length) * 1000) / 10,
    }
    if (values.list !== true) continue
    for (const { rule, test, verdict, because } of verdicts) {
      if (verdict !== 'right') console.log(`${title}: ${rule}, ${test}: ${verdict}${because === undefined ? '' : ` (${because})`}`)
    }
  }
  const all = cases.reduce((sum, { tests }) => sum + tests.length, 0)
  console.log(`\n${name}: ${all} values of ${cases.length} schemas; ${left} schemas that need other documents are left out`)
  console.table(table)
}

/**
 * @param {string} peer
 * @param {string} file
 * @param {string} work
 * @returns {Promise<readonly { readonly rule: string, readonly test: string, readonly verdict: string, readonly because?: string }[]>}
 */
function verdictsOf(peer, file, work) {
  const worker = fileURLToPath(new URL('lib/verdict-worker.mjs', import.meta.url))
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const child = fork(worker, [peer, peers[peer]?.install() ?? '', file], { cwd: work, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  child.stderr?.on('data', (/** @type {Buffer} */ chunk) => (said = `${said}${chunk.toString()}`.slice(-2000)))
  return new Promise((resolve, reject) => {
    child.on('message', (/** @type {*} */ { progress, verdicts }) => {
      if (progress !== undefined) console.error(`${peer}, ${progress}`)
      if (verdicts !== undefined) resolve(verdicts)
    })
    child.on('exit', (code) => reject(new Error(`${peer} ended with ${code}:\n${said}`)))
  })
}
