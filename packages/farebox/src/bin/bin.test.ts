import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, describe, expect, it } from 'vitest'
import { npx } from './run-command.js'

/** The built package: `pnpm test` builds first. */
const built = fileURLToPath(new URL('../..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as {
  readonly version: string
}
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'farebox-bin-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project with the SDK and without the command. */
function createProject(name: string) {
  const home = join(folder, name)
  const sdk = join(home, 'node_modules/farebox')
  cpSync(join(built, 'dist/bin'), join(sdk, 'dist/bin'), { recursive: true })
  cpSync(join(built, 'package.json'), join(sdk, 'package.json'))
  return { home, main: join(sdk, 'dist/bin/bin.js') }
}

/** A package `@farebox/cli` that prints its arguments and its process id. */
function installCommand(home: string): void {
  const cli = join(home, 'node_modules/@farebox/cli')
  mkdirSync(join(cli, 'out'), { recursive: true })
  const manifest = {
    name: '@farebox/cli',
    type: 'module',
    exports: { './package.json': './package.json' },
    bin: { farebox: './out/it.js' },
  }
  writeFileSync(join(cli, 'package.json'), JSON.stringify(manifest))
  writeFileSync(
    join(cli, 'out/it.js'),
    `const report = JSON.stringify({ args: process.argv.slice(2), pid: process.pid })
if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => process.exit(9))
  setInterval(() => undefined, 60_000)
  console.log(report)
} else {
  console.log(report)
  process.exitCode = 3
  process.stdin.pipe(process.stdout)
}
`,
  )
}

/** A folder with an `npx` that runs the script, and with Node. */
function createPath(name: string, script: string): string {
  const bin = join(folder, name)
  mkdirSync(bin)
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'npx'), 0o755)
  return `${bin}:${dirname(process.execPath)}`
}

/** npx without a registry: its installed packages are in `cache`. */
const createNpxScript = (cache: string) => `echo "$1 $2 $3 $4" >&2
PATH="${cache}/node_modules/.bin:$PATH"
shift 3
exec "$@"`

/** Without the environment of the test runner, whose NODE_PATH leads to the workspace. */
const start = (main: string, args: readonly string[], options: SpawnOptions) =>
  spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'], env: {}, ...options })

async function run(main: string, args: readonly string[], options: SpawnOptions, input = '') {
  const child = start(main, args, options)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr?.on('data', (part: Buffer) => (stderr += part.toString()))
  child.stdin?.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  const [report = '', ...rest] = stdout.split('\n')
  return {
    code,
    stderr,
    input: rest.join('\n'),
    ...(report !== '' && { ...(JSON.parse(report) as object), ownPid: child.pid }),
  }
}

describe('npx farebox', () => {
  it('runs the command that is installed beside the SDK, in the same process', async () => {
    const { home, main } = createProject('beside')
    installCommand(home)
    const result = await run(main, ['speech', 'Two words', '--', '-o'], { cwd: folder }, 'a text')
    expect(result).toMatchObject({
      code: 3,
      stderr: '',
      args: ['speech', 'Two words', '--', '-o'],
      input: 'a text',
    })
    expect(result).toHaveProperty('pid', (result as { readonly ownPid?: number }).ownPid)
  })

  it('runs the command that is installed in the working folder', async () => {
    const { main } = createProject('elsewhere')
    const caller = join(folder, 'caller')
    installCommand(caller)
    expect(await run(main, ['balance'], { cwd: caller })).toMatchObject({
      code: 3,
      stderr: '',
      args: ['balance'],
    })
  })

  it('runs the command of the same version from npx if none is installed, in the same process, with its stdin', async () => {
    const { home, main } = createProject('alone')
    const cache = join(folder, 'cache')
    installCommand(cache)
    const env = { PATH: createPath('npx', createNpxScript(cache)) }
    const result = await run(main, ['speech', '-'], { cwd: home, env }, 'a text')
    expect(result).toMatchObject({ code: 3, args: ['speech', '-'], input: 'a text' })
    expect(result.stderr).toBe(`--yes --package=@farebox/cli@${version} -- node\n`)
    expect(result).toHaveProperty('pid', (result as { readonly ownPid?: number }).ownPid)
  })

  deepTest('receives the signals, and determines the exit code of npx farebox', async () => {
    const { home, main } = createProject('signalled')
    const cache = join(folder, 'signalled-cache')
    installCommand(cache)
    const child = start(main, ['wait'], {
      cwd: home,
      env: { PATH: createPath('signalled-npx', createNpxScript(cache)) },
    })
    await once(child.stdout ?? child, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([9, null])
  })

  deepTest('says what to install if npx fails, finds nothing or is missing', async () => {
    const { home, main } = createProject('failing')
    const from = (PATH: string) => run(main, ['balance'], { cwd: home, env: { PATH } })
    const advice = `Run npm install @farebox/cli@${version}.\n`
    expect(await from(createPath('broken', 'echo "npm error 404" >&2; exit 4'))).toMatchObject({
      code: 1,
      stderr: `npm error 404\nfarebox: The command needs the package @farebox/cli ${version}, which is not installed, and npx ended with 4. ${advice}`,
    })
    expect(await from(createPath('empty', createNpxScript(join(folder, 'nothing'))))).toMatchObject(
      {
        code: 1,
        stderr: expect.stringContaining(advice) as string,
      },
    )
    expect(await from(join(folder, 'no-such-folder'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `npx cannot be started (spawnSync npx ENOENT). ${advice}`,
      ) as string,
    })
  })
})

describe('npx', () => {
  it('is started by its own file on Windows, where a shell would interpret the arguments', () => {
    expect(npx('win32', '/node/node.exe')).toEqual([
      '/node/node.exe',
      join('/node', 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    ])
    expect(npx('linux', '/node/bin/node')).toEqual(['npx'])
  })
})

describe('the SDK', () => {
  it('does not bundle the command', async () => {
    const { metafile } = await build({
      stdin: { contents: "export * from 'farebox'", resolveDir: built },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['@farebox/source'],
    })
    const inputs = Object.keys(metafile.inputs)
    expect(
      inputs.filter((path) =>
        /src\/bin\/|packages\/(?:cli|conformance|mcp)\/|modelcontextprotocol|node:/.test(path),
      ),
    ).toEqual([])
    expect(inputs.some((path) => path.endsWith('src/farebox.ts'))).toBe(true)
  })
})
