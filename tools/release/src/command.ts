import { spawn } from 'node:child_process'

export type CommandOptions = { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly timeoutMs?: number }

/** A server that runs. `address` is what its output named. */
export type Served = { readonly address: string; readonly stop: () => Promise<void> }

/** Runs a command and returns its output. Throws with the command and output on failure. */
export async function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { cwd, env, timeoutMs = 300_000 } = options
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${output}`)
  return output
}

/** Starts a server and waits until its output matches `ready`, whose first group is the address. */
export async function serve(
  command: string,
  args: readonly string[],
  ready: RegExp,
  { cwd, env }: Omit<CommandOptions, 'timeoutMs'> = {},
): Promise<Served> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const address = await new Promise<string>((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const [, found] = ready.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`${[command, ...args].join(' ')} ended with ${code} before it was ready:\n${output}`)))
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { address, stop }
}
