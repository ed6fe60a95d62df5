import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage } from './install-package.js'

const { platform, arch } = process

/** The lines of Node that people have. The packages work in each of them. */
export const nodeVersions = ['20.20.2', '22.23.3', '24.21.0'] as const

/** The versions of the other runtimes that tests run programs in. */
export const runtimeVersions = { bun: '1.4.4', deno: '2.9.6', workerd: '1.20261117.1' } as const

/** A command that runs the file whose path follows. */
export type Command = readonly [binary: string, ...args: string[]]

/** A version of Node, which need not be installed if this process runs in it. */
export function createNodeCommand(version: string): Command {
  if (version === process.versions.node) return [process.execPath]
  if (platform !== 'linux')
    throw new Error(
      `Node ${version} is run on Linux only: npm has no package of it for ${platform}.`,
    )
  return [makeExecutable(join(installPackage(`node-${platform}-${arch}`, version), 'bin/node'))]
}

/** The Node that programs of others need where 20 is too old for them. */
export function findNewerNode(): string {
  return createNodeCommand(nodeVersions[1])[0]
}

export function createBunCommand(): Command {
  const name = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`
  return [makeExecutable(join(installPackage(name, runtimeVersions.bun), 'bin/bun'))]
}

/**
 * Deno, for a program that reads the environment and the folder that it is started in.
 *
 * @param permissions what else the program may do
 */
export function createDenoCommand(...permissions: readonly string[]): Command {
  const folder = installPackage(
    `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`,
    runtimeVersions.deno,
  )
  return [
    makeExecutable(join(folder, 'deno')),
    'run',
    '--allow-net',
    '--allow-env',
    '--allow-read=.',
    ...permissions,
    '--node-modules-dir=manual',
  ]
}

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "main", esModule = embed "worker.mjs")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["local", "private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

/**
 * Starts a worker in workerd on a free port, asks it once, and stops it. Gives the JSON that it
 * responds with.
 *
 * @param folder where the worker's files are written
 * @param module the text of an ES module whose default export has `fetch`
 */
export async function runWorker(folder: string, module: string): Promise<unknown> {
  const workerd = installPackage(
    `@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}`,
    runtimeVersions.workerd,
  )
  writeFileSync(join(folder, 'worker.mjs'), module)
  writeFileSync(join(folder, 'worker.capnp'), config)
  const command = makeExecutable(join(workerd, 'bin/workerd'))
  const running = spawn(command, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  running.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  try {
    const port = await new Promise<number>((resolve, reject) => {
      running.stdio[3]?.on('data', (chunk: Buffer) =>
        resolve((JSON.parse(chunk.toString().split('\n', 1)[0] ?? '') as { port: number }).port),
      )
      running.on('exit', () => reject(new Error(`workerd ended: ${complaints}`)))
    })
    const response = await fetch(`http://127.0.0.1:${port}/`)
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${complaints}`)
    return await response.json()
  } finally {
    running.kill()
  }
}

/** npm keeps the permission of a package's `bin` only. */
function makeExecutable(path: string): string {
  chmodSync(path, 0o755)
  return path
}
