import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The one of several runs that took the least CPU. */
export function measureBest(runs: number, run: () => ProcessMeasurement): ProcessMeasurement {
  return Array.from({ length: runs }, run).reduce((least, one) =>
    one.cpu < least.cpu ? one : least,
  )
}

/** Seconds of user CPU, of the system's CPU and of the wall clock, and peak megabytes of the largest process. */
export type ProcessMeasurement = {
  readonly cpu: number
  readonly system: number
  readonly wall: number
  readonly memory: number
  readonly status: number
  readonly stdout: string
  /** Everything that was printed. */
  readonly output: string
}

const notes = join(tmpdir(), `farebox-bench-${process.pid}`)
const preload = new URL('usage.js', import.meta.url).href

/** Runs a script with node. One that takes longer than `limitMs` is ended, and has no figures. */
export function measureProcess(
  command: readonly string[],
  cwd: string,
  node = process.execPath,
  limitMs?: number,
): ProcessMeasurement {
  rmSync(notes, { force: true })
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const env = {
    ...process.env,
    ...quiet,
    FAREBOX_BENCH_USAGE: notes,
    NODE_OPTIONS: `--import=${preload}`,
  }
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(node, command, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const wall = (performance.now() - start) / 1000
  const used = (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as NodeJS.ResourceUsage)
  rmSync(notes, { force: true })
  return {
    cpu: used.reduce((sum, { userCPUTime }) => sum + userCPUTime, 0) / 1e6,
    system: used.reduce((sum, { systemCPUTime }) => sum + systemCPUTime, 0) / 1e6,
    wall,
    memory: Math.max(...used.map(({ maxRSS }) => maxRSS)) / 1024,
    status: status ?? 1,
    stdout,
    output: `${stdout}${stderr}`,
  }
}
