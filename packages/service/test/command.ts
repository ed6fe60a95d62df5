import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// the command as it is built: `pnpm test` builds first
const command = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
export const commandKey = 'cli-test-key'

/** The command in processes of its own, as an operator has it. */
export type Command = {
  readonly start: (...args: readonly string[]) => ChildProcess
  readonly run: (...args: readonly string[]) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
  /** For after each case: one that fails half-way leaves its service behind. */
  readonly killAll: () => void
}

/**
 * `cwd` says which folder the command is run in, `environment` what it has besides the environment
 * of the tests.
 */
export function createCommand(cwd: () => string = () => process.cwd(), environment: () => NodeJS.ProcessEnv = () => ({})): Command {
  const children: ChildProcess[] = []
  const start: Command['start'] = (...args) => {
    // to optimize the database engine costs a short process as much as all of its work
    const child = spawn(process.execPath, ['--liftoff-only', command, ...args], {
      cwd: cwd(),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FAREBOX_ADMIN_KEY: commandKey, FAREBOX_DRAIN_SECONDS: '0', ...environment() },
    })
    children.push(child)
    return child
  }
  return {
    start,
    run: async (...args) => {
      const child = start(...args)
      const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk: Buffer) => (output[name] += chunk.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, ...output }
    },
    killAll: () => children.splice(0).forEach((child) => child.kill('SIGKILL')),
  }
}

/** The origin of a service that has been started, once it is ready. */
export function listening(child: ChildProcess): Promise<string> {
  return printed(child, /listening on (\S+)\n/)
}

/** What the service prints in the group of a pattern. */
export function printed(child: ChildProcess, line: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, found] = line.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${output}`)))
  })
}

/** Has a text parsed, for 0.01 USD. */
export async function parseFor(origin: string, key = commandKey): Promise<number> {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'a.txt')
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${origin}/api/v1/augment/text-parser`, { method: 'POST', body, headers })
  await response.arrayBuffer()
  return response.status
}
