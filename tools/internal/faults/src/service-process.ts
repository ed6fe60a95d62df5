import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@farebox/testing/start-listening'

export const adminKey = 'the-administrator-of-the-fault-harness'

/** Who is paid by top-ups. */
export const payee = '0x1111111111111111111111111111111111111111'

/** What callers sign for. Each process listens at a port of its own, as behind a load balancer. */
export const publicOrigin = 'http://127.0.0.1:4020'

/** One `farebox-service`, as it is built, in a process that can be harmed. */
export type ServiceProcess = {
  /** Where it listens. */
  readonly origin: string
  readonly kill: () => Promise<void>
  /** Starts it, as often as it takes: its database may be away. */
  readonly start: () => Promise<void>
  readonly freeze: () => void
  readonly thaw: () => void
  /** Sets its clock to ours and `offsetMs`. */
  readonly setClock: (offsetMs: number) => void
  /** The exit code after SIGTERM. */
  readonly stop: () => Promise<number | null>
  /** The crashes that it logged, each with how often it came. */
  readonly crashes: ReadonlyMap<string, number>
  /** Exit codes and signals of ends that the harness did not cause. */
  readonly endings: readonly (number | string)[]
}

const command = fileURLToPath(new URL('../../../../packages/service/dist/bin.js', import.meta.url))
const clock = new URL('../dist/skewed-clock.js', import.meta.url).href
const attempts = 240

/** `flags` are added to those of every service. */
export async function createServiceProcess(
  databaseUrl: string,
  flags: readonly string[] = [],
): Promise<ServiceProcess> {
  const port = String(await findFreePort())
  const crashes = new Map<string, number>()
  const endings: (number | string)[] = []
  let child: ChildProcess | undefined
  let isEndedByUs = false
  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null

  const launch = async (): Promise<boolean> => {
    isEndedByUs = false
    child = spawn(
      process.execPath,
      [
        '--import',
        clock,
        command,
        '--port',
        port,
        '--origin',
        publicOrigin,
        '--trusted-proxies',
        '127.0.0.1',
        '--unsettled-payments',
        '--log-level',
        'error',
        ...flags,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          ...process.env,
          FAREBOX_ADMIN_KEY: adminKey,
          FAREBOX_ADMIN_CREDIT: '1000',
          FAREBOX_PAY_TO: payee,
          FAREBOX_DATABASE_URL: databaseUrl,
          FAREBOX_TIMEOUT_SCALE: '1',
          FAREBOX_DRAIN_SECONDS: '0',
        },
      },
    )
    readLines(child.stderr, (line) => {
      const what = findCrash(line)
      if (what !== undefined) crashes.set(what, (crashes.get(what) ?? 0) + 1)
    })
    const started = child
    return new Promise((resolve) => {
      let isServing = false
      readLines(started.stdout, (line) => {
        isServing ||= line.startsWith('Farebox service listening')
        if (isServing) resolve(true)
      })
      started.once('exit', (code, signal) => {
        if (isServing && !isEndedByUs) endings.push(code ?? signal ?? 'unknown')
        resolve(false)
      })
    })
  }
  const startAgain = async (): Promise<void> => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (isRunning() || (await launch())) return
      await sleep(250)
    }
    throw new Error(`farebox-service did not start in ${attempts} attempts`)
  }
  let starting: Promise<void> | undefined

  return {
    origin: `http://127.0.0.1:${port}`,
    crashes,
    endings,
    // two faults at a time may both have killed it
    start: () => (starting ??= startAgain().finally(() => (starting = undefined))),
    kill: async () => {
      if (!isRunning()) return
      isEndedByUs = true
      child?.kill('SIGKILL')
      if (child) await once(child, 'exit')
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    setClock: (offsetMs) => {
      if (isRunning() && child?.connected === true) child.send(offsetMs, () => undefined)
    },
    stop: async () => {
      if (!child || !isRunning()) return child?.exitCode ?? null
      isEndedByUs = true
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number | null]
      return code
    },
  }
}

function readLines(stream: Readable | null, take: (line: string) => unknown): void {
  if (stream) createInterface({ input: stream }).on('line', take)
}

/** The first line of the crash in a line of the log. */
function findCrash(line: string): string | undefined {
  const { message, error } = JSON.parse(line.startsWith('{') ? line : '{}') as {
    readonly message?: string
    readonly error?: string
  }
  return message === 'crash' ? error?.split('\n')[0] : undefined
}
