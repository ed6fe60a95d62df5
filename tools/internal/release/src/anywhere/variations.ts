import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createNodeCommand } from '@farebox/testing/runtimes'

/** One way in which another machine differs from this one. */
export type Variation = {
  readonly name: string
  /** What it adds to the environment of the tests. May install something. */
  readonly env: () => Readonly<Record<string, string>>
  /** Whether the tests give way to programs that use every core. */
  readonly isBusy?: boolean
}

/** Variations that are tried at once. Where that fails, they are tried one by one. */
export type Combination = {
  readonly variations: readonly Variation[]
  /** Default: all packages. */
  readonly packages?: readonly string[]
}

const dayMs = 86_400_000

/**
 * Each variation at least once. Tests that start a PostgreSQL stay on the day of today, because its
 * clock does not move.
 */
export const combinations: readonly Combination[] = [
  { variations: [shiftDays(1), setZone('Pacific/Kiritimati'), setOrder(101), clearHome()] },
  { variations: [shiftDays(400), setZone('America/St_Johns'), setOrder(202), setNode('22.23.3')] },
  { variations: [shiftToLeapDay(new Date()), setOrder(303), setNode('24.21.0')] },
  // those whose tests have timers and are done in minutes all the same
  { variations: [keepBusy()], packages: ['@farebox/middleware', '@farebox/retry', 'farebox'] },
]

function shiftDays(days: number): Variation {
  return { name: `${days} days ahead`, env: () => ({ DAYS_AHEAD: String(days) }) }
}

/** The next 29 February: in 2028, and then every four years. */
export function shiftToLeapDay(today: Date): Variation {
  let year = today.getUTCFullYear()
  while (
    new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1 ||
    Date.UTC(year, 1, 29) < today.getTime()
  )
    year++
  const days = Math.ceil((Date.UTC(year, 1, 29) - today.getTime()) / dayMs)
  return { ...shiftDays(days), name: `on ${year}-02-29` }
}

function setZone(name: string): Variation {
  return { name: `TZ=${name}`, env: () => ({ TZ: name }) }
}

function setOrder(seed: number): Variation {
  return { name: `in the order ${seed}`, env: () => ({ SHUFFLE: String(seed) }) }
}

function setNode(version: string): Variation {
  const PATH = () => [dirname(createNodeCommand(version)[0]), process.env['PATH']].join(delimiter)
  return { name: `on Node ${version}`, env: () => ({ PATH: PATH() }) }
}

function clearHome(): Variation {
  return {
    name: 'with an empty HOME',
    env: () => ({ HOME: mkdtempSync(join(tmpdir(), 'farebox-home-')) }),
  }
}

function keepBusy(): Variation {
  return { name: 'on a busy machine', env: () => ({}), isBusy: true }
}
