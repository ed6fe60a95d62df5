import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

// the built command: `pnpm test` builds first
const command = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const base = fileURLToPath(new URL('../test/base.yaml', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spec-diff-cli-'))
  mkdirSync(join(folder, 'spec'))
  mkdirSync(join(folder, '.changeset'))
  for (const [path, name, version] of [
    ['packages/types', '@trams/types', '1.0.0'],
    ['packages/api', '@trams/api', '0.3.0'],
    ['.', 'trams', '1.2.3'],
  ] as const) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), `{\n  "name": "${name}",\n  "version": "${version}"\n}\n`)
  }
  cpSync(base, join(folder, 'spec/openapi.yaml'))
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-q', '-m', 'first')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  cpSync(base, join(folder, 'spec/openapi.yaml'))
  for (const name of readdirSync(join(folder, '.changeset'))) rmSync(join(folder, '.changeset', name))
})

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder })
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { cwd: folder, encoding: 'utf8' })
  return { status, stdout, stderr }
}
function edit(from: string, to: string) {
  const path = join(folder, 'spec/openapi.yaml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
}

const two = ['--package', 'packages/types=types', '--package', 'packages/api=zod,client']
const onlyChangeset = () => readFileSync(join(folder, '.changeset', readdirSync(join(folder, '.changeset'))[0] ?? ''), 'utf8')

describe('farebox-spec-diff', () => {
  it('says that nothing changed', () => {
    expect(run('HEAD')).toEqual({ status: 0, stdout: 'Nothing changed.\n', stderr: '' })
  })

  it('compares a revision with the files as they are, the gravest first, with places and reasons', () => {
    edit('enum: [up, down]', 'enum: [up]')
    edit('summary: One tram', 'summary: A tram')
    const { stdout } = run('main', ...two)
    expect(stdout).toMatch(
      /^Breaking for somebody\n\n {2}getTram: the query parameter sort can no longer be "down"\.\n {4}spec\/openapi\.yaml:\d+:\d+\n/,
    )
    expect(stdout.indexOf('can no longer')).toBeLessThan(stdout.indexOf('in other words'))
    expect(stdout).toMatch(/2 changes ask for\n {2}@trams\/types +major\n {2}@trams\/api +major\n$/)
  })

  it('prints JSON', () => {
    edit('summary: One tram', 'summary: A tram')
    const { changes, verdicts } = JSON.parse(run('HEAD', '--json').stdout) as { readonly changes: unknown[]; readonly verdicts: unknown }
    expect([changes.length, verdicts]).toEqual([1, { types: 'patch', zod: 'patch', client: 'patch', sdk: 'patch' }])
  })

  it('fails its check until a changeset covers the change, and says which command writes it', () => {
    edit('enum: [up, down]', 'enum: [up]')
    const failed = run('--check', ...two)
    expect(failed.status).toBe(1)
    expect(failed.stderr).toMatch(
      /no changeset says so for\n {2}@trams\/types: major, found none\n {2}@trams\/api: minor, found none\nRun: npx farebox-spec-diff [\da-f]{12} --package packages\/types=types --package packages\/api=zod,client --changeset\n$/,
    )
    expect(run('HEAD', '--changeset', ...two).stdout).toMatch(/Wrote .*\.changeset\/contract-\w+\.md\.\n$/)
    expect(onlyChangeset()).toBe(
      `---\n'@trams/types': major\n'@trams/api': minor\n---\n\nThe contract changed.\n\n- getTram: the query parameter sort can no longer be "down".\n`,
    )
    expect(run('--check', ...two)).toMatchObject({ status: 0, stdout: expect.stringContaining('1 changes of the contract') as string })
  })

  it('names the script of the repository in which it is one', () => {
    edit('enum: [up, down]', 'enum: [up]')
    vi.stubEnv('npm_lifecycle_event', 'spec:diff')
    expect(run('--check', ...two).stderr).toMatch(/Run: npx --yes pnpm@12\.21\.0 spec:diff [\da-f]{12} --changeset\n$/)
    vi.unstubAllEnvs()
  })

  it('takes the package of the folder for every output where none is named', () => {
    edit('enum: [up, down]', 'enum: [up]')
    run('HEAD', '--changeset')
    expect(onlyChangeset()).toMatch(/^---\n'trams': major\n---\n/)
  })

  it('compares two files where there is no package, and names the outputs', () => {
    const bare = mkdtempSync(join(tmpdir(), 'spec-diff-bare-'))
    writeFileSync(join(bare, 'next.yaml'), readFileSync(base, 'utf8').replace('enum: [up, down]', 'enum: [up]'))
    const { status, stdout } = spawnSync(process.execPath, [command, base, 'next.yaml'], { cwd: bare, encoding: 'utf8' })
    rmSync(bare, { recursive: true })
    expect(status).toBe(0)
    expect(stdout).toMatch(/1 change asks for\n {2}types {3}major\n {2}zod {5}major\n {2}client {2}major\n {2}sdk {5}major\n$/)
  })

  it.each([
    [['nowhere'], 1, 'nowhere is neither a file nor a git revision here'],
    [[], 2, 'There is no BASE'],
    [['a', 'b', 'c'], 2, 'Too many arguments. Expected 2 arguments but got 3.'],
    [['--nope'], 2, "Unknown option '--nope'"],
    [['HEAD', 'packages/types/package.json'], 1, 'has faults'],
    [['HEAD', '--package', 'packages/none'], 2, 'There is no packages/none/package.json. Name the folder of the package'],
    [['HEAD', '--package', 'packages/api=docs'], 2, 'names the output "docs". There are types, zod, client, sdk, document.'],
    [['HEAD', '--spec', 'spec/none.yaml'], 1, 'spec/none.yaml is neither a file nor a git revision here'],
  ])('refuses %j and says why', (args, status, message) => {
    const failed = run(...args)
    expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(message)])
    expect(failed.stderr).not.toMatch(/\n\s+at \S+ \(/)
  })
})
