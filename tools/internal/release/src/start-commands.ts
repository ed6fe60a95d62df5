// `pnpm exec turbo run commands`: every published command, in each Node that people have. It must
// end well and print nothing on stderr.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runProgram, world, type Program } from '@farebox/command-line'
import { createNodeCommand, nodeVersions } from '@farebox/testing/runtimes'
import { installTarballs } from './install-packed.js'
import { listPublished } from './list-published.js'
import { root } from './root.js'
import { petstore } from './sources.js'

const program: Program<never> = {
  name: 'start-commands',
  summary: `starts every published command in Node ${nodeVersions.join(', ')}, from the packed packages`,
  details:
    'A command fails that ends with another code than 0, or prints anything on stderr. Needs a build.',
  operands: [],
  flags: [],
  notes: [{ title: 'Exit codes:', text: '0 all is well, 1 a command failed, 2 wrong usage.' }],
  examples: ['npx --yes pnpm@12.21.0 exec turbo run commands'],
}

/** What a command does instead of --help, on the two documents of the folder. */
const uses: Readonly<Record<string, readonly string[]>> = {
  'farebox-codegen': ['--spec', 'pets.yaml', '--out', 'api', '--no-cache'],
  'farebox-spec-diff': ['pets.yaml', 'newer.yaml'],
  'farebox-service': ['credit', '--account', 'tram', '--usd', '1', '--data', 'ledger'],
}

process.exitCode = await runProgram(program, process.argv.slice(2), world, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-commands-'))
  try {
    const packages = listPublished(root)
    await installTarballs(
      folder,
      packages.map(({ path }) => path),
    )
    writeFileSync(join(folder, 'pets.yaml'), petstore)
    writeFileSync(join(folder, 'newer.yaml'), petstore.replace('required: [name], ', ''))
    const commands = packages.flatMap(({ name }) =>
      listCommands(join(folder, 'node_modules', name)),
    )
    const failures = nodeVersions.flatMap((version) =>
      commands.flatMap((command) => startCommand(version, command, folder)),
    )
    console.log(
      failures.length === 0
        ? '\nAll is well.'
        : `\n${failures.length} failed: ${failures.join(', ')}`,
    )
    return failures.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

type Command = { readonly name: string; readonly of: string; readonly file: string }

function listCommands(folder: string): readonly Command[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly bin?: Readonly<Record<string, string>>
  }
  return Object.entries(manifest.bin ?? {}).map(([name, file]) => ({
    name,
    of: manifest.name,
    file: join(folder, file),
  }))
}

/** Starts a command in a version of Node and prints the results. Returns what failed. */
function startCommand(
  version: string,
  { name, of, file }: Command,
  folder: string,
): readonly string[] {
  const [binary] = createNodeCommand(version)
  const env = { PATH: `${dirname(binary)}:${process.env['PATH']}`, HOME: join(folder, 'home') }
  const args = uses[name] ?? ['--help']
  const { status, signal, stderr } = spawnSync(binary, [file, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  const isWell = status === 0 && stderr === ''
  const line = `${name} ${args.join(' ')} of ${of} in Node ${version}`
  console.log(`${isWell ? 'ok     ' : 'FAILED '} ${line}`)
  if (!isWell) console.log(`it ended with ${status ?? signal} and printed on stderr:\n${stderr}`)
  return isWell ? [] : [line]
}
