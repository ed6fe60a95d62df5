import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runSpecDiff } from '../../test/run-spec-diff.js'

/** The built command, which one test starts: `pnpm test` builds first. */
const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const base = fileURLToPath(new URL('../../test/base.yaml', import.meta.url))

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
    writeFileSync(
      join(folder, path, 'package.json'),
      `{\n  "name": "${name}",\n  "version": "${version}"\n}\n`,
    )
  }
  cpSync(base, join(folder, 'spec/openapi.yaml'))
  runGit('init', '-q', '-b', 'main')
  runGit('add', '.')
  runGit('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-q', '-m', 'first')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  cpSync(base, join(folder, 'spec/openapi.yaml'))
  for (const name of readdirSync(join(folder, '.changeset')))
    rmSync(join(folder, '.changeset', name))
})

const runGit = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder })
const run = (...args: readonly string[]) => runSpecDiff(folder, args)
function edit(from: string, to: string) {
  const path = join(folder, 'spec/openapi.yaml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
}

const two = ['--package', 'packages/types=types', '--package', 'packages/api=zod,client']
const findChangeset = (ending: string) =>
  readdirSync(join(folder, '.changeset')).find((name) => name.endsWith(ending)) ?? ''
const readChangeset = () => readFileSync(join(folder, '.changeset', findChangeset('.md')), 'utf8')

describe('farebox-spec-diff', () => {
  it('says that nothing changed', async () => {
    expect(await run('HEAD')).toEqual({ status: 0, stdout: 'Nothing changed.\n', stderr: '' })
  })

  it('compares a revision with the current files, most severe changes first, with locations and reasons', async () => {
    edit('enum: [up, down]', 'enum: [up]')
    edit('summary: One tram', 'summary: A tram')
    const { stdout } = await run('main', ...two)
    expect(stdout).toMatch(
      /^getTram\n {2}major {2}The query parameter sort can no longer be "down"\.\n {9}"down" was valid and is rejected now\.\n {9}No adapter hides it from callers of the older version\.\n {9}The service rejects/,
    )
    expect(stdout).toMatch(
      /\n {9}spec\/openapi\.yaml:\d+:\d+ {2}request-enum-narrowed-\w+\n {2}patch {2}It has another description\.\n/,
    )
    expect(stdout).toMatch(
      /2 changes: 1 breaking, 1 patch\n {2}@trams\/types +major\n {2}@trams\/api +major\n$/,
    )
  })

  it('prints JSON', async () => {
    edit('summary: One tram', 'summary: A tram')
    const { changes, verdicts } = JSON.parse((await run('HEAD', '--format', 'json')).stdout) as {
      readonly changes: unknown[]
      readonly verdicts: unknown
    }
    expect([changes.length, verdicts]).toEqual([
      1,
      { types: 'patch', zod: 'patch', client: 'patch', sdk: 'patch' },
    ])
  })

  it('fails its check until a changeset covers the change, and says which command writes it', async () => {
    edit('enum: [up, down]', 'enum: [up]')
    const failed = await run('--check', ...two)
    expect(failed.status).toBe(1)
    expect(failed.stderr).toMatch(
      /no changeset says so for\n {2}@trams\/types: major, for request-enum-narrowed-\w+\n {2}@trams\/api: minor, for request-enum-narrowed-\w+\nRun: npx farebox-spec-diff [\da-f]{12} --package packages\/types=types --package packages\/api=zod,client --changeset\n$/,
    )
    expect((await run('HEAD', '--changeset', ...two)).stdout).toMatch(
      /Wrote .*\.changeset\/contract-\w+\.md\.\n$/,
    )
    expect(readChangeset()).toBe(
      `---\n'@trams/types': major\n'@trams/api': minor\n---\n\nThe contract changed.\n\n- **Breaking:** getTram: the query parameter sort can no longer be "down".\n`,
    )
    expect(readFileSync(join(folder, '.changeset', findChangeset('.covers')), 'utf8')).toMatch(
      /^request-enum-narrowed-q1sixg\noperation getTram: \w+ -> \w+\n$/,
    )
    expect(await run('--check', ...two)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 changes of the contract') as string,
    })
  })

  it("suggests the repository's own script if there is one", async () => {
    edit('enum: [up, down]', 'enum: [up]')
    vi.stubEnv('npm_lifecycle_event', 'spec:diff')
    expect((await run('--check', ...two)).stderr).toMatch(
      /Run: npx --yes pnpm@12\.21\.0 spec:diff [\da-f]{12} --changeset\n$/,
    )
    vi.unstubAllEnvs()
  })

  it('assigns every output to the package of the folder by default', async () => {
    edit('enum: [up, down]', 'enum: [up]')
    await run('HEAD', '--changeset')
    expect(readChangeset()).toMatch(/^---\n'trams': major\n---\n/)
  })

  it('compares two files without a package, and names the outputs', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'spec-diff-bare-'))
    writeFileSync(
      join(bare, 'next.yaml'),
      readFileSync(base, 'utf8').replace('enum: [up, down]', 'enum: [up]'),
    )
    const { status, stdout } = spawnSync(process.execPath, [command, base, 'next.yaml'], {
      cwd: bare,
      encoding: 'utf8',
    })
    rmSync(bare, { recursive: true })
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /1 change: 1 breaking\n {2}types {3}major\n {2}zod {5}major\n {2}client {2}major\n {2}sdk {5}major\n$/,
    )
  })

  deepTest('compares minified documents with many changes in little memory', () => {
    const bare = mkdtempSync(join(tmpdir(), 'spec-diff-minified-'))
    const versionWith = (maxLength: number): string => {
      const schema = { type: 'string', description: 'Übung '.repeat(200), maxLength }
      const content = { 'application/json': { schema } }
      const operation = { responses: { 200: { description: 'Done', content } } }
      const paths = Object.fromEntries(
        Array.from({ length: 1500 }, (_, index) => [`/p${index}`, { get: operation }]),
      )
      return JSON.stringify({ openapi: '3.1.0', info: { title: 'Long', version: '1' }, paths })
    }
    writeFileSync(join(bare, 'a.json'), versionWith(5))
    writeFileSync(join(bare, 'b.json'), versionWith(6))
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--max-old-space-size=150', command, 'a.json', 'b.json'],
      {
        cwd: bare,
        encoding: 'utf8',
      },
    )
    rmSync(bare, { recursive: true })
    expect(status).toBe(0)
    expect(stdout).toContain('1500 changes: 1500 breaking')
  })

  it('fails on changes of a level, except those that are approved by their ids', async () => {
    edit('enum: [up, down]', 'enum: [up]')
    const id = 'request-enum-narrowed-q1sixg'
    const failed = await run('HEAD', '--fail-on', 'minor')
    expect([failed.status, failed.stderr]).toEqual([
      1,
      expect.stringContaining(`1 change fails:\n  ${id}  getTram`),
    ])
    expect(await run('HEAD', '--fail-on', 'major', '--approve', id)).toMatchObject({
      status: 0,
      stderr: '',
    })
    writeFileSync(join(folder, 'approved.txt'), `# since May\n${id} # nobody sorts down\nother-1\n`)
    expect(await run('HEAD', '--fail-on', 'major', '--approvals', 'approved.txt')).toMatchObject({
      status: 0,
      stderr: 'WARNING: these approvals name no change: other-1\n',
    })
  })

  deepTest('checks the life of operations by the rules that are switched on', async () => {
    edit('operationId: scrapTrams', 'operationId: scrapTrams\n      deprecated: true')
    expect(await run('HEAD', '--fail-on', 'major')).toMatchObject({ status: 0, stderr: '' })
    const warned = await run('HEAD', '--rule', 'all=warning')
    expect([warned.status, warned.stderr]).toEqual([
      0,
      expect.stringMatching(/^WARNING: scrapTrams: .* \(deprecated-without-sunset-\w+\)\n$/),
    ])
    const failed = await run(
      'HEAD',
      '--rule',
      'all=off',
      '--rule',
      'deprecated-without-sunset=error',
    )
    expect([failed.status, failed.stderr]).toEqual([
      1,
      expect.stringContaining('1 change fails:\n  deprecated-without-sunset-'),
    ])
    const [id = ''] = /deprecated-without-sunset-\w+/.exec(failed.stderr) ?? []
    expect(await run('HEAD', '--rule', 'all=error', '--approve', id)).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  it('compares documents by revision and path, and at a URL', async () => {
    runGit('checkout', '-q', '-b', 'moved')
    mkdirSync(join(folder, 'api'), { recursive: true })
    writeFileSync(
      join(folder, 'api/v2.yaml'),
      readFileSync(base, 'utf8').replace('enum: [up, down]', 'enum: [up]'),
    )
    runGit('add', 'api')
    runGit('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-q', '-m', 'second')
    const { stdout } = await run('main:spec/openapi.yaml', 'moved:api/v2.yaml')
    runGit('checkout', '-q', 'main')
    expect(stdout).toContain('can no longer be "down"')
    const server = createServer((_, response) => response.end(readFileSync(base)))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const told = await run(`http://127.0.0.1:${port}/api.yaml`, base)
    server.close()
    expect(told.stdout).toBe('Nothing changed.\n')
  })

  it('reads an invalid older version without the invalid parts, and rejects an invalid newer one', async () => {
    const faulty = join(folder, 'faulty.yaml')
    writeFileSync(
      faulty,
      readFileSync(base, 'utf8')
        .replace('enum: [up, down]', 'enum: [up]')
        .replace(/operationId: makeTram/, 'operationId: getTram'),
    )
    const older = await run(faulty, base)
    expect([older.status, older.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^WARNING: faulty\.yaml has faults:\n[\s\S]*The faulty parts are not compared\.\n$/,
      ),
    ])
    expect(await run(base, faulty)).toMatchObject({ status: 1, stdout: '' })
  })

  it.each([
    [['nowhere'], 1, 'nowhere is neither a file nor a git revision here'],
    [[], 2, 'There is no BASE'],
    [['a', 'b', 'c'], 2, 'Too many arguments. Expected 2 arguments but got 3.'],
    [
      ['HEAD', '--format', 'html'],
      2,
      '--format: found "html", expected one of text, markdown, json, sarif, github.',
    ],
    [['HEAD', '--fail-on', 'all'], 2, '--fail-on'],
    [['HEAD', '--approvals', 'none.txt'], 2, 'There is no file none.txt'],
    [
      ['HEAD', '--rule', 'sunset=error'],
      2,
      '--rule: found "sunset=error", expected all or one of deprecated-without-sunset',
    ],
    [['--nope'], 2, "Unknown option '--nope'"],
    [['HEAD', 'packages/types/package.json'], 1, 'has faults'],
    [
      ['HEAD', '--package', 'packages/none'],
      2,
      'There is no packages/none/package.json. Name the folder of the package',
    ],
    [
      ['HEAD', '--package', 'packages/api=docs'],
      2,
      'names the output "docs". There are types, zod, client, sdk, document.',
    ],
    [
      ['HEAD', '--spec', 'spec/none.yaml'],
      1,
      'spec/none.yaml is neither a file nor a git revision here',
    ],
  ])('rejects %j and says why', async (args, status, message) => {
    const failed = await run(...args)
    expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(message)])
    expect(failed.stderr).not.toMatch(/\n\s+at \S+ \(/)
  })
})
