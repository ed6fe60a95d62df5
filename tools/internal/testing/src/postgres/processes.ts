import { spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A process and its children. */
export function listFamily(pid: number): readonly number[] {
  const listed =
    spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  const children = listed
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
  return [...children, pid]
}

/** Sends a signal to processes. Some may have ended by themselves. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // it ended by itself
    }
  }
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
