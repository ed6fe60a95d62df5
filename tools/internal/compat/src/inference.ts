import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFreePort } from '@farebox/testing/start-listening'
import { installPackage } from '@farebox/testing/install-package'
import { createNodeCommand, nodeVersions } from '@farebox/testing/runtimes'
import { build } from 'esbuild'

/** The newest versions, which need Node 22. They are not installed in the workspace. */
const packages = {
  openai: '7.59.0',
  ai: '7.0.173',
  '@ai-sdk/openai-compatible': '3.0.92',
  '@langchain/openai': '1.6.0',
  '@langchain/core': '1.4.0',
  zod: '4.6.7',
} as const

const [, ...versionsOfNode] = nodeVersions
const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const adminKey = 'the-administrator-of-the-compatibility-matrix'

/** By client, case and caller: `works`, or what failed. */
type InferenceOutcomes = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>

/** The result of a run against the service with its test models. */
export type InferenceMatrix = {
  readonly packages: Readonly<Record<string, string>>
  /** By the version of Node. */
  readonly outcomes: Readonly<Record<string, InferenceOutcomes>>
}

/** Runs every client in each version of Node, by API key and by wallet. */
export async function runInference(): Promise<InferenceMatrix> {
  const { origin, stop } = await startService()
  try {
    const program = await bundleProgram()
    const outcomes: Record<string, InferenceOutcomes> = {}
    for (const version of versionsOfNode) {
      const [binary, ...flags] = createNodeCommand(version)
      const args = [...flags, program, `${origin}/api/v1`, adminKey]
      const { stdout } = await promisify(execFile)(binary, args)
      outcomes[version] = JSON.parse(stdout) as InferenceOutcomes
    }
    return { packages, outcomes }
  } finally {
    await stop()
  }
}

/** What does not work in a matrix. */
export function findInferenceFaults({ outcomes }: InferenceMatrix): readonly string[] {
  return Object.entries(outcomes).flatMap(([version, clients]) =>
    Object.entries(clients).flatMap(([client, cases]) =>
      Object.entries(cases).flatMap(([name, callers]) =>
        Object.entries(callers).flatMap(([caller, outcome]) =>
          outcome === 'works' ? [] : [`${client}, Node ${version}, ${name}, ${caller}: ${outcome}`],
        ),
      ),
    ),
  )
}

/** The program with our sources, beside the packages that it imports. */
async function bundleProgram(): Promise<string> {
  const { openai, ...beside } = packages
  const others = Object.entries(beside).map(([name, version]) => `${name}@${version}`)
  const outfile = join(installPackage('openai', openai, others), '../../program.mjs')
  await build({
    entryPoints: [resolvePath('../inference/program.mjs')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['@farebox/source'],
    external: Object.keys(packages).flatMap((name) => [name, `${name}/*`]),
  })
  return outfile
}

/** The service as it is built, with its test models and an empty database. */
async function startService() {
  const [port, data] = [
    String(await findFreePort()),
    mkdtempSync(join(tmpdir(), 'farebox-compat-')),
  ]
  const command = resolvePath('../../../../packages/service/dist/bin.js')
  const service = spawn(process.execPath, [command, 'serve', '--port', port, '--data', data], {
    env: { FAREBOX_ADMIN_KEY: adminKey, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = once(service, 'exit')
  const started = once(createInterface(service.stdout), 'line').then(() => true)
  if (!(await Promise.race([started, exit.then(() => false)])))
    throw new Error('The service did not start. Is packages/service built?')
  const stop = async () => {
    service.kill()
    await exit
    rmSync(data, { recursive: true, force: true })
  }
  return { origin: `http://127.0.0.1:${port}`, stop }
}
