import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { runProgram } from '@farebox/command-line'
import { vi } from 'vitest'
import { runCommand } from '../src/command/run-command.js'
import { program } from '../src/command/settings/program.js'

// the command as it is built: `pnpm test` builds first
const command = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
export const commandKey = 'key-of-the-command'

type CommandResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The command in processes of its own, as an operator has it. */
export type Command = {
  readonly start: (...args: readonly string[]) => ChildProcess
  readonly run: (...args: readonly string[]) => Promise<CommandResult>
  /**
   * In this process, for what a process of its own adds nothing to: one takes longer to start than
   * most commands take. Not for the embedded database, which starts faster there. One at a time.
   */
  readonly runHere: (...args: readonly string[]) => Promise<CommandResult>
  /**
   * Ends all processes, and what they hold. A case that fails leaves its service running, so call it
   * after each.
   */
  readonly killAll: () => Promise<void>
}

/** Runs the command in the folder `cwd`, with the variables of the tests and of `environment`. */
export function createCommand(
  cwd: () => string = () => process.cwd(),
  environment: () => NodeJS.ProcessEnv = () => ({}),
): Command {
  const children: ChildProcess[] = []
  const variables = () => ({
    ...process.env,
    FAREBOX_ADMIN_KEY: commandKey,
    FAREBOX_DRAIN_SECONDS: '0',
    ...environment(),
  })
  const start: Command['start'] = (...args) => {
    // to optimize the database engine costs a short process as much as all of its work
    const child = spawn(process.execPath, ['--liftoff-only', command, ...args], {
      cwd: cwd(),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: variables(),
    })
    children.push(child)
    return child
  }
  return {
    start,
    run: async (...args) => {
      const child = start(...args)
      const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const)
        child[name]?.on('data', (chunk: Buffer) => (output[name] += chunk.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, ...output }
    },
    runHere: async (...args) => {
      const output = { stdout: '', stderr: '' }
      const spies = (['stdout', 'stderr'] as const).map((name) =>
        vi.spyOn(process[name], 'write').mockImplementation((text) => {
          output[name] += String(text)
          return true
        }),
      )
      const before = process.cwd()
      process.chdir(cwd())
      try {
        const world = { environment: variables(), out: process.stdout, err: process.stderr }
        const code = await runProgram(program, args, world, (args) =>
          runCommand(args, world.environment),
        )
        return { code, ...output }
      } finally {
        process.chdir(before)
        for (const spy of spies) spy.mockRestore()
      }
    },
    killAll: async () => {
      const running = children
        .splice(0)
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      await Promise.all(
        running.map((child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          return ended
        }),
      )
    },
  }
}

/** The address of a service that has been started, once it is ready. */
export function waitForAddress(child: ChildProcess): Promise<string> {
  return waitForOutput(child, /listening on (\S+)\n/)
}

/** What a service that does not start has printed. Empty for one that does. */
export function startFailure(child: ChildProcess): Promise<string> {
  return waitForAddress(child).then(
    () => '',
    ({ message }: Error) => message,
  )
}

/** What the service prints in the group of a pattern. */
export function waitForOutput(child: ChildProcess, line: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, match] = line.exec(output) ?? []
      if (match !== undefined) resolve(match)
    })
    let log = ''
    child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    child.once('close', (code) => reject(new Error(`It ended with ${code}: ${output}${log}`)))
  })
}

/** Has a text parsed, for 0.01 USD. */
export async function parseFor(origin: string, key = commandKey): Promise<number> {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'a.txt')
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${origin}/api/v1/augment/text-parser`, {
    method: 'POST',
    body,
    headers,
  })
  await response.arrayBuffer()
  return response.status
}
