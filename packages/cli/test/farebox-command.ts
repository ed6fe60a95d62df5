import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey } from '@farebox/auth/keys'
import { expect } from 'vitest'
import { createService, type Service } from '../../service/src/app/create-service.js'
import { createServer } from '../../service/src/platform/server/create-server.js'
import { openEmptyDatabase } from '../../service/test/empty-database.js'
import { inlineParser } from '../../service/test/harness.js'
import { run } from '../src/run.js'
import { startCommand, type Running } from './start-command.js'

/** The command as it is built: `pnpm test` builds first. */
export const fareboxBin = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
export const findFixture = (name: string): string =>
  fileURLToPath(new URL(`../../service/fixtures/${name}`, import.meta.url))

export type CommandResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}
export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** The real service and the command, both in this process. */
export type CommandLine = {
  readonly baseUrl: string
  readonly apiKey: string
  /** What the operator sets, who may change keys. */
  readonly operator: Readonly<Record<'FAREBOX_OPERATOR_URL' | 'FAREBOX_OPERATOR_KEY', string>>
  /** A throw-away wallet; any is as good as another here. */
  readonly privateKey: string
  /** An empty folder for this test file. */
  readonly folder: string
  /**
   * Runs `farebox` to its end in this process, as a user with nothing but the base URL and what
   * `env` holds; `start` takes half a second more.
   */
  readonly farebox: (args: readonly string[], options?: RunOptions) => Promise<CommandResult>
  /** The same with streams that stay open. */
  readonly running: (args: readonly string[], env: Readonly<Record<string, string>>) => Running
  /** The same as a process of its own. */
  readonly start: (args: readonly string[], options?: RunOptions) => ChildProcess
  readonly asKey: (args: readonly string[], options?: RunOptions) => Promise<CommandResult>
  readonly asWallet: (args: readonly string[], options?: RunOptions) => Promise<CommandResult>
  readonly close: () => Promise<void>
}

export async function startCommandLine(): Promise<CommandLine> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-command-'))
  const [apiKey, operatorKey, privateKey] = [
    'cli-test-key',
    'operator-key-of-the-test',
    generatePrivateKey(),
  ]
  let service: Service | undefined
  const servers = [
    createServer(async (request, info) => started().fetch(request, info)),
    createServer(async (request) => started().operator(request)),
  ]
  const started = () => service ?? expect.unreachable('The service has not started.')
  const [origin = '', operatorUrl = ''] = await Promise.all(servers.map(startListening))
  service = await createService({
    origin,
    adminKey: apiKey,
    operatorKey,
    operatorChanges: true,
    database: await openEmptyDatabase(),
    textParser: inlineParser,
  })
  const baseUrl = `${origin}/api/v1`
  const children = new Set<ChildProcess>()

  const environment = { PATH: process.env['PATH'], HOME: folder, FAREBOX_BASE_URL: baseUrl }
  const home = process.cwd()
  process.chdir(folder)

  const start: CommandLine['start'] = (args, { env, input } = {}) => {
    const child = spawn(process.execPath, [fareboxBin, ...args], {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      cwd: folder,
      env: { ...environment, ...env },
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    child.stdin?.end(input)
    return child
  }
  const farebox: CommandLine['farebox'] = async (args, { env, input } = {}) => {
    const [out, err] = [createCollector(), createCollector()]
    const streams = {
      in: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
      out: out.stream,
      err: err.stream,
    }
    const code = await run(args, {
      environment: { ...environment, ...env },
      streams,
      signal: new AbortController().signal,
    })
    return {
      code,
      stdout: out.bytes().toString(),
      stderr: err.bytes().toString(),
      bytes: out.bytes(),
    }
  }
  return {
    baseUrl,
    apiKey,
    operator: { FAREBOX_OPERATOR_URL: operatorUrl, FAREBOX_OPERATOR_KEY: operatorKey },
    privateKey,
    folder,
    farebox,
    running: (args, env) => startCommand(args, { ...environment, ...env }),
    start,
    asKey: (args, options) =>
      farebox(args, { ...options, env: { FAREBOX_API_KEY: apiKey, ...options?.env } }),
    asWallet: (args, options) =>
      farebox(args, { ...options, env: { FAREBOX_PRIVATE_KEY: privateKey, ...options?.env } }),
    close: async () => {
      process.chdir(home)
      for (const child of children) child.kill('SIGKILL')
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The origin of a server at a free port. */
async function startListening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function createCollector() {
  const parts: Buffer[] = []
  const write: NonNullable<ConstructorParameters<typeof Writable>[0]>['write'] = (
    part: Buffer,
    _encoding,
    done,
  ) => {
    parts.push(part)
    done()
  }
  return { stream: new Writable({ write }), bytes: () => Buffer.concat(parts) }
}

export async function waitForExit(child: ChildProcess): Promise<CommandResult> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (part: Buffer) => out.push(part))
  child.stderr?.on('data', (part: Buffer) => err.push(part))
  const [code] = (await once(child, 'close')) as [number | null]
  const bytes = Buffer.concat(out)
  return { code, stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes }
}

/** Resolves when the text is on stderr. */
export function waitForOutput(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr?.on('data', (part: Buffer) => {
      output += part.toString()
      if (output.includes(text)) resolve()
    })
    child.once('exit', (code) =>
      reject(
        new Error(`It ended with ${code} without printing ${JSON.stringify(text)}: ${output}`),
      ),
    )
  })
}
