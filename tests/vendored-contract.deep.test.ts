import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { document } from '../packages/service/src/generated/document.js'
import { installTarballs } from '@farebox/release/install-packed'
import { followContract } from '@farebox/release/vendored'

const root = fileURLToPath(new URL('..', import.meta.url))

it('follows a changed contract in a repository that vendors it, from regeneration to release', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-vendored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const repository = join(folder, 'repository')
  await installPackages(repository)
  const env = {
    PATH: [wrapNpm(folder), process.env['PATH']].join(delimiter),
    npm_config_loglevel: 'error',
  }
  const seen = await followContract({ folder: repository, contract: document, env })

  expect(seen.withoutGenerating).toContain('different  src/api/types/index.ts')
  expect(seen.changes).toContain('ParsedText.pages is new')
  expect(seen.changes).toMatch(/2 changes: 1 breaking, 1 minor\n +harbour-api +major/)
  expect(seen.withoutChangeset).toMatch(
    /no changeset says so for\n +harbour-api: major, for [^\n]+\nRun: npx farebox-spec-diff [\da-f]{12} --spec vendor\/openapi\.json --changeset/,
  )
  expect(seen.version).toBe('2.0.0')
  expect(seen.pushed).toEqual([
    'Follow the contract',
    expect.stringMatching(/^Fix: .*text/),
    expect.stringMatching(/^Fix: .*owner/),
    'Describe the changes of the contract',
  ])
  expect(seen.fixed)
    .toBe(`import type { CreateApiKeyRequest, ParsedText } from './api/types/index.js'

export const tokensOf = ({ tokens }: ParsedText): number => tokens
export const linesOf = (parsed: ParsedText): number => parsed.plainText.split('\\n').length
export const request: CreateApiKeyRequest = { description: 'Harbour', apiKeyType: 'INFERENCE', owner: undefined satisfies never /* farebox-impact: fill in owner */ }`)
  expect(seen.pullRequest).toMatch(
    /^gh pr create --head follow-the-contract --title Follow the contract /,
  )
  const parts = [
    /\n## 3 places in 1 file: 3 break the compile/,
    /\n- `src\/tokens\.ts:3` breaks compile: ` export const tokensOf /,
    /\n## 2 edits, 1 place left to you\n\n- `src\/tokens\.ts:4` text is called plainText now/,
    /\n## What no longer compiles\n\n````text\nsrc\/tokens\.ts\(3,\d+\): error TS2322: /,
    /\n## The contract changed: 3 breaking/,
  ]
  const places = parts.map((part) => seen.pullRequest.search(part))
  expect(places).toEqual(places.filter((place) => place > 0).toSorted((one, other) => one - other))
  expect(seen.broken).toContain('src/tokens.ts(3,')
  expect(seen.changelog).toMatch(
    /^# harbour-api\n\n## 2\.0\.0\n\n### Major Changes\n\n- .*The contract changed\./,
  )
})

/** Ours, which are in the registry only once they are published. */
const ours = ['packages/command-line', 'tools/codegen', 'tools/spec-diff', 'tools/impact']

/**
 * What `npm install` of the guide brings: our packages from their tarballs, and the others from
 * this tree. So is the compiler, which takes a fifth of the time; `release:dry` follows the guide
 * with the version that it names.
 */
async function installPackages(folder: string): Promise<void> {
  mkdirSync(folder)
  await installTarballs(folder, ours)
  const places = {
    '@changesets/cli': 'node_modules/@changesets/cli',
    typescript: 'node_modules/@typescript/native',
    // npm puts the compiler of impact below it, as the user has another one
    '@farebox/impact/node_modules/typescript': 'tools/impact/node_modules/typescript',
    zod: 'packages/zod/node_modules/zod',
    'openapi-fetch': 'packages/client/node_modules/openapi-fetch',
  }
  for (const [name, place] of Object.entries(places)) {
    const link = join(folder, 'node_modules', name)
    rmSync(link, { force: true })
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(realpathSync(join(root, place)), link)
  }
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin)
  const packages = [
    '@farebox/codegen',
    '@farebox/impact',
    '@farebox/spec-diff',
    '@changesets/cli',
    'typescript',
  ]
  for (const name of packages)
    for (const [command, file] of Object.entries(listCommands(join(folder, 'node_modules', name))))
      writeExecutable(join(bin, command), `exec node "$(dirname "$0")/../${name}/${file}" "$@"`)
}

function listCommands(folder: string): Readonly<Record<string, string>> {
  const { bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin?: Readonly<Record<string, string>>
  }
  return bin
}

/** npm, but for `npm install` and `npm ci`. */
function wrapNpm(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  writeExecutable(join(bin, 'npm'), `[ "$1" = install ] || [ "$1" = ci ] || exec ${npm} "$@"`)
  return bin
}

function writeExecutable(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
}
