import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

// the command as it is built: `pnpm test` builds first
const command = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const base = fileURLToPath(new URL('../test/base.yaml', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spec-diff-cli-'))
  mkdirSync(join(folder, 'spec'))
  mkdirSync(join(folder, '.changeset'))
  mkdirSync(join(folder, 'packages', 'types'), { recursive: true })
  writeFileSync(join(folder, 'packages/types/package.json'), '{\n  "name": "@farebox/types",\n  "version": "1.0.0"\n}\n')
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

describe('spec:diff', () => {
  it('says that nothing changed', () => {
    expect(run('HEAD')).toEqual({ status: 0, stdout: 'Nothing changed.\n', stderr: '' })
  })

  it('compares a revision with the files as they are, the gravest first, with places and reasons', () => {
    edit('enum: [up, down]', 'enum: [up]')
    edit('summary: One tram', 'summary: A tram')
    const { stdout } = run('main')
    expect(stdout).toMatch(
      /^Breaking for somebody\n\n {2}getTram: the query parameter sort can no longer be "down"\.\n {4}spec\/openapi\.yaml:\d+:\d+\n/,
    )
    expect(stdout.indexOf('can no longer')).toBeLessThan(stdout.indexOf('in other words'))
    expect(stdout).toMatch(
      /2 changes ask for\n {2}@farebox\/types +major\n {2}@farebox\/zod +major\n {2}@farebox\/client +major\n {2}farebox +major\n$/,
    )
  })

  it('prints JSON', () => {
    edit('summary: One tram', 'summary: A tram')
    const { changes, verdicts } = JSON.parse(run('HEAD', '--json').stdout) as { readonly changes: unknown[]; readonly verdicts: unknown }
    expect([changes.length, verdicts]).toEqual([1, { types: 'patch', zod: 'patch', client: 'patch', sdk: 'patch' }])
  })

  it('fails its check until a changeset covers the change, and says which command writes it', () => {
    edit('enum: [up, down]', 'enum: [up]')
    const failed = run('--check')
    expect(failed.status).toBe(1)
    expect(failed.stderr).toMatch(
      /no changeset says so for\n {2}@farebox\/types: major, found none\n[\s\S]*Run: npx --yes pnpm@12\.21\.0 spec:diff [\da-f]{12} --changeset\n$/,
    )
    expect(run('HEAD', '--changeset').stdout).toMatch(/Wrote .*\.changeset\/contract-\w+\.md\.\n$/)
    expect(readFileSync(join(folder, '.changeset', readdirSync(join(folder, '.changeset'))[0] ?? ''), 'utf8')).toBe(
      `---\n'@farebox/types': major\n'@farebox/zod': minor\n'@farebox/client': minor\n'farebox': minor\n---\n\nThe contract changed.\n\n- getTram: the query parameter sort can no longer be "down".\n`,
    )
    expect(run('--check')).toMatchObject({ status: 0, stdout: expect.stringContaining('1 changes of the contract') as string })
  })

  it.each([
    [['nowhere'], 1, 'nowhere is neither a file nor a git revision here'],
    [[], 2, 'There is no BASE'],
    [['a', 'b', 'c'], 2, 'There are 3 versions; two can be compared'],
    [['--nope'], 2, "Unknown option '--nope'"],
    [['HEAD', 'packages/types/package.json'], 1, 'has faults'],
    [['HEAD', '--spec', 'spec/none.yaml'], 1, 'spec/none.yaml is neither a file nor a git revision here'],
  ])('refuses %j and says why', (args, status, message) => {
    const failed = run(...args)
    expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(message)])
    expect(failed.stderr).not.toMatch(/\n\s+at \S+ \(/)
  })
})
