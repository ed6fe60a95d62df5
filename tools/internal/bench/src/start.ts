import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installTarballs, sdk } from '@farebox/release/install-packed'
import { cache } from '@farebox/testing/install-package'
import { computeMedian, parseRounds, showTable } from './measure.js'
import { installPeer } from './peer-versions.js'

/** The most that the version may take, in times of Node alone. */
const maxRatio = 1.5

/**
 * How long commands take that send nothing, beside Node alone and other commands of npm. The
 * quickest of all processes counts: the work is the same each time, and other work of the machine
 * only adds to it.
 */
export async function start(given: Arguments): Promise<void> {
  const rounds = parseRounds(given.operands, 41)
  const place = join(cache, 'start')
  await installTarballs(place, [...sdk, 'packages/command-line', 'packages/cli'])
  const parties = Object.entries(listCommands(place)).map(([name, args]) => ({
    name,
    args,
    times: [] as number[],
  }))
  for (let round = 0; round < rounds; round++)
    for (const { name, args, times } of parties) times.push(measureTime(name, args, place))
  const alone = Math.min(...(parties[0]?.times ?? []))
  console.log(
    `Start of commands, the quickest of ${rounds} processes each that take turns. Target: farebox --version at most ${maxRatio}.`,
  )
  const rows = parties.map(({ name, times }) => {
    const quickest = Math.min(...times)
    return [
      name,
      {
        ms: roundFigure(quickest),
        'median, ms': roundFigure(computeMedian(times)),
        'to Node alone': roundFigure(quickest / alone),
      },
    ] as const
  })
  showTable(Object.fromEntries(rows), given.has('save') && 'start')
  const found = rows.find(([name]) => name === 'farebox --version')?.[1]['to Node alone'] ?? NaN
  if (!(found <= maxRatio)) {
    console.error(
      `farebox --version takes ${found} times as long as Node alone; ${maxRatio} is the most.`,
    )
    process.exitCode = 1
  }
}

/** The arguments of Node for each. The first is what the others are compared with. */
function listCommands(place: string): Readonly<Record<string, readonly string[]>> {
  const farebox = findBin(join(place, 'node_modules/@farebox/cli'), 'farebox')
  const redocly = findBin(installPeer('@redocly/cli'), 'redocly')
  const stripe = findBin(installPeer('@stripe/cli'), 'stripe')
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  return {
    'node -e 0': ['-e', '0'],
    'farebox --version': [farebox, '--version'],
    'farebox --help': [farebox, '--help'],
    'farebox wallet show': [farebox, 'wallet', 'show'],
    'tsc --version (typescript)': [tsc, '--version'],
    'stripe --version (@stripe/cli 1.52.0)': [stripe, '--version'],
    'redocly --version (@redocly/cli 2.77.0)': [redocly, '--version'],
  }
}

function findBin(folder: string, name: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>
  }
  return join(folder, bin[name] ?? '')
}

function measureTime(name: string, args: readonly string[], home: string): number {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    FAREBOX_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    REDOCLY_TELEMETRY: 'off',
  }
  const begin = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const time = performance.now() - begin
  if (status !== 0) throw new Error(`${name} ended with ${status}:\n${stderr}`)
  return time
}

function roundFigure(number: number): number {
  return Number(number.toFixed(2))
}
