import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'
import type { Group, GroupCommand } from './groups.js'

export type Outcome = {
  /** The command that failed, as one may repeat it. */
  readonly failed?: string
  readonly seconds: number
  /** Of all processes of the group. */
  readonly processorSeconds: number
}

/** Runs the commands of a group up to the first that fails. Their output goes into `log`. */
export async function runGroup(group: Group, seed: number, log: string): Promise<Outcome> {
  const output = openSync(log, 'w')
  const start = performance.now()
  let processorSeconds = 0
  let failed: string | undefined
  try {
    for (const one of group.commands(seed)) {
      const { code, used } = await measure(one, output)
      processorSeconds += used
      if (code !== 0) failed = written(one)
      if (failed !== undefined) break
    }
  } finally {
    closeSync(output)
  }
  return {
    ...(failed !== undefined && { failed }),
    seconds: (performance.now() - start) / 1000,
    processorSeconds,
  }
}

/** A shell knows the time of its children, which Node does not. */
async function measure({ command, folder = '', env }: GroupCommand, output: number) {
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >&3; exit $code', 'sh', ...command], {
    cwd: join(root, folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output, 'pipe'],
  })
  let times = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => (times += chunk.toString()))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
  return { code, used: parseSeconds(times.split('\n')[1] ?? '') }
}

/** Of a line such as `1m2.5s 0m3.1s`. */
function parseSeconds(line: string): number {
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}

function written({ command, folder, env = {} }: GroupCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const line = [...variables, ...command].join(' ')
  return folder === undefined ? line : `cd ${folder} && ${line}`
}
