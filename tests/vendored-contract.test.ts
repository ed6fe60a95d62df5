import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { document } from '../packages/service/src/generated/document.js'
import { followContract } from '@farebox/release/vendored'

const root = fileURLToPath(new URL('..', import.meta.url))

it('follows a changed contract in a repository that vendors it, from regeneration to release', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-vendored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const repository = join(folder, 'repository')
  installed(repository)
  const env = { PATH: [withoutInstall(folder), process.env['PATH']].join(delimiter), npm_config_loglevel: 'error' }
  const seen = await followContract({ folder: repository, contract: document, env })

  expect(seen.withoutGenerating).toContain('different  src/api/types/index.ts')
  expect(seen.changes).toContain('ParsedText.pages is new')
  expect(seen.changes).toMatch(/2 changes: 1 breaking, 1 minor\n +harbour-api +major/)
  expect(seen.withoutChangeset).toMatch(
    /no changeset says so for\n +harbour-api: major, for [^\n]+\nRun: npx farebox-spec-diff [\da-f]{12} --spec vendor\/openapi\.json --changeset/,
  )
  expect(seen.version).toBe('2.0.0')
  expect(seen.pushed).toBe('Follow the contract')
  expect(seen.pullRequest).toMatch(/^gh pr create .*--head follow-the-contract\n## The contract changed: 1 breaking, 1 minor\n/)
  expect(seen.pullRequest).toMatch(/## What no longer compiles\n```text\nsrc\/tokens\.ts\(3,\d+\): error TS2322: /)
  expect(seen.broken).toContain('src/tokens.ts(3,')
  expect(seen.changelog).toMatch(/^# harbour-api\n\n## 2\.0\.0\n\n### Major Changes\n\n- .*The contract changed\./)
})

/**
 * What `npm install` of the guide brings, from this tree: packages of Farebox are not in the
 * registry before they are published. The compiler is that of this tree, which takes a fifth of the
 * time; `release:dry` follows the guide with the version that it names.
 */
function installed(folder: string): void {
  const places = {
    '@farebox/codegen': 'tools/codegen',
    '@farebox/spec-diff': 'tools/spec-diff',
    '@changesets/cli': 'node_modules/@changesets/cli',
    typescript: 'node_modules/@typescript/native',
    zod: 'packages/zod/node_modules/zod',
    'openapi-fetch': 'packages/client/node_modules/openapi-fetch',
  }
  for (const [name, place] of Object.entries(places)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(realpathSync(join(root, place)), link)
  }
  const commands = {
    'farebox-codegen': '@farebox/codegen/dist/bin.js',
    'farebox-spec-diff': '@farebox/spec-diff/dist/bin.js',
    changeset: '@changesets/cli/bin.js',
    tsc: 'typescript/bin/tsc',
  }
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin)
  for (const [name, file] of Object.entries(commands)) executable(join(bin, name), `exec node "$(dirname "$0")/../${file}" "$@"`)
}

/** npm, but for `npm install` and `npm ci`. */
function withoutInstall(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  executable(join(bin, 'npm'), `[ "$1" = install ] || [ "$1" = ci ] || exec ${npm} "$@"`)
  return bin
}

function executable(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
}
