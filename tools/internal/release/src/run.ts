// `pnpm release:dry`: a whole release into a registry of its own, then fresh projects that install
// from it and call the service.
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expected, runProgram, world, type Program } from '@farebox/command-line'
import { run, serve, type RunningServer } from '@farebox/testing/commands'
import { lintTarball, packRelease } from './tarball.js'
import { projects } from './projects.js'
import { startRegistry } from './registry.js'
import { root } from './root.js'

const program: Program<'only' | 'keep'> = {
  name: 'release:dry',
  summary: 'rehearses a release',
  details: `Clones what is committed, versions it by its changesets, builds and packs every published package, asks publint and attw, publishes to a
registry on loopback, installs from that into fresh projects outside the tree and makes real calls of the local service from each. Nothing leaves the
machine but what npm is asked for. Heavy tools are installed on demand into node_modules/.cache.`,
  operands: [],
  flags: [
    { name: 'only', kind: 'text', value: 'NAME,…', help: 'only these projects' },
    { name: 'keep', kind: 'switch', help: 'leave the temporary folder and print its path' },
  ],
  notes: [
    { title: 'Projects:', rows: projects.map(({ name, what }) => [name, what] as const) },
    { title: 'Exit codes:', text: '0 all is well, 1 something failed, 2 wrong usage.' },
  ],
  examples: ['npx --yes pnpm@12.21.0 release:dry --only sdk'],
}

type Row = { readonly name: string; readonly ok: boolean; readonly seconds: string }

const work = join(tmpdir(), `farebox-release-${process.pid}`)
const rows: Row[] = []
const stops: (() => Promise<void>)[] = []
// Ctrl-C reaches the servers too, because they are in the same process group; only the folder is
// left to remove
process.once('SIGINT', () => {
  rmSync(work, { recursive: true, force: true })
  process.exit(130)
})

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (args) => {
  const only = args.text('only')?.split(',')
  const unknown = only?.find((name) => !projects.some((project) => project.name === name))
  if (unknown !== undefined)
    throw expected('--only', unknown, `some of ${projects.map(({ name }) => name).join(', ')}`)
  mkdirSync(work)
  try {
    await release(only)
  } finally {
    for (const stop of stops.reverse()) await stop()
    if (args.has('keep')) console.log(`\nKept ${work}`)
    else rmSync(work, { recursive: true, force: true })
  }
  const failed = rows.filter(({ ok }) => !ok)
  console.log(`\n${'what'.padEnd(30)} outcome  time`)
  for (const { name, ok, seconds } of rows)
    console.log(`${name.padEnd(30)} ${ok ? 'ok     ' : 'FAILED '}  ${seconds}`)
  const names = failed.map(({ name }) => name).join(', ')
  console.log(
    failed.length === 0
      ? '\nAll is well.'
      : `\n${failed.length} of ${rows.length} failed: ${names}`,
  )
  return failed.length === 0 ? 0 : 1
})

async function release(only: readonly string[] | undefined): Promise<void> {
  const packages = await runStep('version, build, pack', () => packRelease(root, work))
  if (packages === undefined) return
  for (const one of packages)
    await runStep(`lint ${one.name}@${one.version}`, () => lintTarball(one))

  const registry = await runStep('start the registry', () => startRegistry(work))
  if (registry === undefined) return
  stops.push(registry.stop)
  const published = await runStep('publish', async () => {
    // only the CI that publishes can vouch for provenance
    for (const { tarball } of packages)
      await run('npm', ['publish', tarball, '--provenance=false', '--loglevel=error'], {
        cwd: work,
        env: registry.env,
      })
    return true
  })
  if (published === undefined) return

  const apiKey = 'release-admin-key'
  const service = await runStep('service', () => startService(registry.env, apiKey))
  if (service === undefined) return
  stops.push(service.stop)
  for (const { name, prove } of projects) {
    if (only !== undefined && !only.includes(name)) continue
    const folder = join(work, 'outside', name)
    await runStep(name, () =>
      prove({ folder, baseUrl: `${service.address}/api/v1`, apiKey, env: registry.env, packages }),
    )
  }
}

/** Installs the service from the registry too, and starts it by its command. */
async function startService(env: NodeJS.ProcessEnv, apiKey: string): Promise<RunningServer> {
  const cwd = join(work, 'outside', 'service')
  mkdirSync(cwd, { recursive: true })
  await run('npm', ['install', '--loglevel=error', '@farebox/service'], { cwd, env })
  const command = join(cwd, 'node_modules', '.bin', 'farebox-service')
  const own = { FAREBOX_ADMIN_KEY: apiKey }
  return serve(
    command,
    ['--port', '0', '--data', join(work, 'ledger')],
    /listening on (http:\/\/[^\s/]+)/,
    { cwd, env: own },
  )
}

/** Runs a step and prints the result. Returns undefined on failure, so that others run. */
async function runStep<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  const start = performance.now()
  const reportStep = (ok: boolean): void => {
    const seconds = `${((performance.now() - start) / 1000).toFixed(1)} s`
    rows.push({ name, ok, seconds })
    console.log(`${ok ? 'ok     ' : 'FAILED '} ${name} (${seconds})`)
  }
  try {
    const value = await work()
    reportStep(true)
    return value
  } catch (error) {
    reportStep(false)
    console.log(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
