import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'

export type CommandOptions = {
  readonly cwd?: string
  /** Added to the environment of this process, unless `isBare`. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly isBare?: boolean
}

type ServeOptions = CommandOptions & {
  /** Whether the command starts others, which end with it. */
  readonly isGroup?: boolean
}

/** A server that runs. `address` is what its output named. */
export type RunningServer = { readonly address: string; readonly stop: () => Promise<void> }

/** Runs a command, however long it takes, and returns its output. Throws with both on failure. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const child = startProcess(command, args, options)
  let output = ''
  onOutput(child, (text) => (output += text))
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
  { isGroup = false, ...options }: ServeOptions = {},
): Promise<RunningServer> {
  const child = startProcess(command, args, options, { detached: isGroup })
  // the output closes when no process of the group holds it any more
  const ended = new Promise((resolve) => child.once('close', resolve))
  const address = await new Promise<string>((resolve, reject) => {
    let output = ''
    onOutput(child, (text) => {
      output += text
      const [, match] = ready.exec(output) ?? []
      if (match !== undefined) resolve(match)
    })
    child.once('error', reject)
    child.once('close', (code) =>
      reject(
        new Error(
          `${[command, ...args].join(' ')} ended with ${code} before it was ready:\n${output}`,
        ),
      ),
    )
  })
  const stop = async (): Promise<void> => {
    if (!isGroup) child.kill('SIGTERM')
    else if (child.exitCode === null && child.signalCode === null)
      process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
  return { address, stop }
}

function startProcess(
  command: string,
  args: readonly string[],
  { cwd, env, isBare = false }: CommandOptions,
  more: SpawnOptions = {},
): ChildProcess {
  const whole = isBare ? env : { ...process.env, ...env }
  return spawn(command, args, { cwd, env: whole, stdio: ['ignore', 'pipe', 'pipe'], ...more })
}

function onOutput({ stdout, stderr }: ChildProcess, take: (text: string) => unknown): void {
  for (const stream of [stdout, stderr])
    stream?.on('data', (chunk: Buffer) => take(chunk.toString()))
}
