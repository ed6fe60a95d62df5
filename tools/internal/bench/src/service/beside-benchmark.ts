import { computeMedian, root } from '../measure.js'
import { besiege, type HealthLatencies } from './hostile.js'
import {
  load,
  serveCheckout,
  type Load,
  type LoadOptions,
  type LoadRequest,
  type ServedProcess,
  createWallets,
} from './load.js'
import { createSpeechCall } from './requests-benchmark.js'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a service did in one round: its load, and its processor time per request. */
type Round = Load & { readonly cpu: number }
type Workload = LoadOptions & {
  readonly name: string
  readonly on: 'wallets' | 'service'
  readonly requests: (time: number) => Promise<readonly LoadRequest[]>
}

/** Rates of this checkout and of a commit. Both serve the same requests in turns. */
export async function compareWithCommit(
  commit: string,
  requests: number,
  rounds: number,
): Promise<void> {
  const { folder, remove } = buildCommit(commit)
  const started: ServedProcess[] = []
  const both = async (kind: 'wallets' | 'service') => {
    const pair = [await serveCheckout(kind), await serveCheckout(kind, folder)] as const
    started.push(...pair)
    return pair
  }
  try {
    const services = { wallets: await both('wallets'), service: await both('service') }
    const wallets = createWallets(500)
    let time = Date.now()
    const table: Record<string, object> = {}
    for (const workload of listWorkloads(wallets, Math.max(500, Math.round(requests / 50)))) {
      const pair = services[workload.on]
      const found: [Round[], Round[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        // a minute after the one before, so that the rate limits reject none
        time += 61_000
        for (const { setTime } of services.wallets) setTime(time)
        const sent = await workload.requests(time)
        // another one goes first each time
        const turn = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
        for (const which of turn) found[which].push(await runRound(pair[which], sent, workload))
      }
      table[workload.name] = toRow(found, commit)
    }
    const siege = await runSiege(
      services.service,
      rounds,
      Math.max(30, Math.round(requests / 1_000)),
    )
    console.log(
      `This checkout beside ${commit}, in memory, median of ${rounds} rounds in which both serve the same requests in turns.`,
    )
    console.log(
      'Targets: getBalance and listTransactions at 3 times the rate, p99 under 1,000 ms at 500 callers; the others at 1 or more.',
    )
    console.table(table)
    console.log(
      '/healthz beside four strangers who send hostile bodies. Target: p99 under 100 ms on an idle machine.',
    )
    console.table({ 'this checkout': toSiegeRow(siege[0]), [commit]: toSiegeRow(siege[1]) })
  } finally {
    for (const { stop } of started) stop()
    remove()
  }
}

function listWorkloads(
  wallets: ReturnType<typeof createWallets>,
  count: number,
): readonly Workload[] {
  const createWalletWorkloads = (
    name: string,
    toPath: (address: string) => string,
  ): readonly Workload[] =>
    [32, 500].map((connections) => ({
      name: `${name}, ${connections} callers`,
      on: 'wallets',
      count,
      connections,
      requests: (time) => wallets.signed((address) => ({ path: toPath(address) }), count, time),
    }))
  const createAdminWorkload = (name: string, sent: LoadRequest): Workload => ({
    name,
    on: 'service',
    count,
    requests: async () => [sent],
  })
  return [
    ...createWalletWorkloads('getBalance', (address) => `/api/v1/x402/balance/${address}`),
    ...createWalletWorkloads(
      'listTransactions',
      (address) => `/api/v1/x402/transactions/${address}`,
    ),
    createAdminWorkload('createSpeech, a sale', createSpeechCall()),
    createAdminWorkload('parseText', parseText),
  ]
}

const parseText: LoadRequest = {
  path: '/api/v1/augment/text-parser',
  method: 'POST',
  headers: { authorization: 'Bearer k', 'content-type': 'multipart/form-data; boundary=b' },
  body: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nThe tram is late.\r\n--b--\r\n',
}

async function runRound(
  { port, usage }: ServedProcess,
  sent: readonly LoadRequest[],
  options: LoadOptions,
): Promise<Round> {
  const before = await usage()
  const found = await load(port, (index) => sent[index % sent.length] ?? parseText, options)
  const { cpu } = await usage()
  return { ...found, cpu: (cpu - before.cpu) / options.count }
}

async function runSiege(
  pair: readonly [ServedProcess, ServedProcess],
  rounds: number,
  count: number,
) {
  const found: [HealthLatencies[], HealthLatencies[]] = [[], []]
  // the compilation of a first request is not part of the others
  for (const { port } of pair) await besiege(port, 6)
  for (let round = 0; round < rounds; round++) {
    const turn = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const which of turn) found[which].push(await besiege(pair[which].port, count))
  }
  return found
}

function toSiegeRow(all: readonly HealthLatencies[]): object {
  const of = (what: keyof HealthLatencies) => Math.round(computeMedian(all.map((one) => one[what])))
  return {
    'p50, ms': of('p50'),
    'p99, ms': of('p99'),
    'longest, ms': of('most'),
    'times asked': of('asked'),
  }
}

function toRow([now, then]: readonly [readonly Round[], readonly Round[]], commit: string): object {
  const of = (all: readonly Round[], what: keyof Round) =>
    computeMedian(all.map((one) => one[what]))
  return {
    'requests/s': Math.round(of(now, 'rate')),
    [`of ${commit}`]: Math.round(of(then, 'rate')),
    'rate / its rate': (of(now, 'rate') / of(then, 'rate')).toFixed(2),
    'p99, ms': Math.round(of(now, 'p99')),
    'its p99': Math.round(of(then, 'p99')),
    'CPU ms/request': of(now, 'cpu').toFixed(2),
    'its CPU / ours': (of(then, 'cpu') / of(now, 'cpu')).toFixed(2),
  }
}

type BuiltCommit = { readonly folder: string; readonly remove: () => void }

/** Checks a commit out into a temporary folder, installs what it needs, and builds its service. */
function buildCommit(commit: string): BuiltCommit {
  const folder = join(mkdtempSync(join(tmpdir(), 'farebox-commit-')), 'checkout')
  const run = (cwd: string, file: string, ...args: readonly string[]) =>
    void execFileSync(file, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const remove = () => {
    run(root, 'git', 'worktree', 'remove', '--force', folder)
    rmSync(join(folder, '..'), { recursive: true, force: true })
  }
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    const { packageManager } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly packageManager: string
    }
    const [name = ''] = packageManager.split('+')
    run(
      folder,
      'npx',
      '--yes',
      name,
      'install',
      '--frozen-lockfile',
      '--prefer-offline',
      '--silent',
    )
    run(folder, 'npx', 'tsc', '-b', 'packages/service')
  } catch (error) {
    remove()
    throw error
  }
  return { folder, remove }
}
