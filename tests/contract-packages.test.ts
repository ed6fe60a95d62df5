import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

type Manifest = {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/**
 * Packages that a change of the contract changes: what was generated into them, or around the
 * client that was. A package in a fixed group takes the version of the group's first member.
 */
function listAffectedPackages(): readonly string[] {
  const holdsGenerated = (folder: string) =>
    readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' }).some((path) =>
      /(^|[\\/])generated[\\/].*\.ts$/.test(path),
    )
  const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')) as {
    readonly fixed: readonly string[][]
  }
  const followers = fixed.flatMap(([, ...others]) => others)
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'tsconfig.json')))
    .map((folder) => ({ folder, ...readManifest(folder) }))
    .filter(({ name }) => !followers.includes(name))
    .filter(
      ({ folder, dependencies }) =>
        holdsGenerated(folder) || dependencies?.['@farebox/client'] !== undefined,
    )
    .map(({ name }) => name)
}

it('spec:diff evaluates each change for every package that carries the contract', () => {
  const [, given = ''] = /cli\.js(.*)$/.exec(readManifest(root).scripts['spec:diff'] ?? '') ?? []
  const options = given.split(' ').filter((option) => option !== '')
  const cli = join(root, 'tools/spec-diff/dist/cli.js')
  // a document of which nothing is left changes every package
  const folder = mkdtempSync(join(tmpdir(), 'farebox-empty-contract-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const empty = join(folder, 'openapi.yaml')
  writeFileSync(empty, "openapi: 3.1.0\ninfo: { title: Nothing, version: '1' }\npaths: {}\n")
  const told = execFileSync(process.execPath, [cli, 'spec/openapi.yaml', empty, ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  const weighed = [
    ...told
      .slice(told.search(/^\d+ changes: /m))
      .matchAll(/^ {2}(\S+) +(none|patch|minor|major)$/gm),
  ]
  expect(new Set(weighed.map(([, name]) => name))).toEqual(new Set(listAffectedPackages()))
  expect(new Set(weighed.map(([, , verdict]) => verdict))).toEqual(new Set(['major']))
})
