import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from '@farebox/auth/keys'
import { startHostileService, type Authorization, type Behavior } from './hostile-service.js'

/** A client as a command that pays the URL in X402_URL once. */
export type ClientCommand = {
  /** The program and its arguments. `{url}` in an argument becomes the URL. */
  readonly command: readonly string[]
  readonly signal: AbortSignal
}

export type ClientRuns = {
  /** The exit code of each run; null for one that was killed. */
  readonly codes: readonly (number | null)[]
  /** The end of what the last run printed on stderr. */
  readonly stderr: string
  /** Every payment that arrived. */
  readonly received: readonly Authorization[]
}

/** How long a run may take, in milliseconds. */
const longestRunMs = 60_000

/**
 * Runs the client against a hostile service, once or several times in sequence. All runs have one
 * wallet and one home, so a client can remember what it signed.
 */
export async function runClient(
  { command, signal }: ClientCommand,
  behavior: Behavior,
  times = 1,
): Promise<ClientRuns> {
  const service = await startHostileService(behavior)
  const home = mkdtempSync(join(tmpdir(), 'verify-x402-'))
  const url = `${service.origin}/api/v1/x402/top-up`
  const env = {
    ...process.env,
    X402_URL: url,
    X402_PRIVATE_KEY: generatePrivateKey(),
    XDG_STATE_HOME: home,
  }
  const codes: (number | null)[] = []
  let stderr = ''
  try {
    for (let run = 0; run < times; run++) {
      const { code, text } = await runOnce(command, url, env, signal)
      codes.push(code)
      stderr = text
      signal.throwIfAborted()
    }
    return { codes, stderr, received: service.received }
  } finally {
    service.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function runOnce(
  command: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const [program = '', ...args] = command.map((part) => part.replaceAll('{url}', url))
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-200)
  })
  const stop = () => void child.kill('SIGKILL')
  const timer = setTimeout(stop, longestRunMs)
  signal.addEventListener('abort', stop)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { code, text }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
