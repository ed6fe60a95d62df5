import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fareboxBin } from './farebox-command.js'

type Demo = ChildProcessByStdio<null, Readable, Readable>

/** `farebox demo` in processes of its own. */
export type DemoCommand = {
  /** The folder for temporary files, which nothing else uses. */
  readonly folder: string
  readonly start: (args: readonly string[], temporary?: string) => Demo
  /** Ends what still runs, and removes the folder. */
  readonly close: () => void
}

export function createDemoCommand(): DemoCommand {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-demo-test-'))
  const children: Demo[] = []
  return {
    folder,
    start: (args, TMPDIR = folder) => {
      // it inherits no credential
      const child = spawn(process.execPath, ['--liftoff-only', fareboxBin, 'demo', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], FAREBOX_TIMEOUT_SCALE: '20', TMPDIR },
      })
      children.push(child)
      return child
    },
    close: () => {
      for (const child of children) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
