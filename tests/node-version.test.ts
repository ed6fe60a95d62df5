import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeCommand as nodeCommand } from '@farebox/testing/runtimes'
import { listPublished } from '@farebox/release/list-published'

const root = fileURLToPath(new URL('..', import.meta.url))
const commands = listPublished(root).flatMap(({ path }) => {
  const { bin = {} } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as {
    readonly bin?: Record<string, string>
  }
  return Object.entries(bin).map(([name, file]) => ({ name, file: join(root, path, file) }))
})

const [node] = nodeCommand('18.20.8')
let stubs: string
beforeAll(() => {
  // whoever gets as far as this did not look at the version first
  stubs = mkdtempSync(join(tmpdir(), 'farebox-node-'))
  writeFileSync(join(stubs, 'npx'), '#!/bin/sh\nexit 9\n', { mode: 0o755 })
})
afterAll(() => rmSync(stubs, { recursive: true }))

function on18(command: string, ...args: readonly string[]) {
  const PATH = [stubs, dirname(node), process.env['PATH']].join(delimiter)
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  return { status, stdout, stderr }
}

describe('on Node 18, before anything else fails,', () => {
  it.each(commands)('$name says which Node it needs', ({ name, file }) => {
    expect(on18(node, file, '--help')).toEqual({
      status: 1,
      stdout: '',
      stderr: `${name}: this is Node 18.20.8; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
    })
  })

  it.each([
    ['the quickstart', 'node', ['tools/quickstart/run.mjs']],
    ['the CI', 'bash', ['.ci/run']],
  ])('%s says which Node it needs', (_what, command, args) => {
    expect(on18(command, ...args)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'This is Node 18.20.8; Farebox needs Node 20.19 or later, which is at https://nodejs.org.\n',
    })
  })
})

it('every package and the repository require the same Node, and an install enforces it', () => {
  const manifests = [
    'package.json',
    ...listPublished(root).map(({ path }) => join(path, 'package.json')),
  ]
  const asked = manifests.map(
    (file) => (JSON.parse(readFileSync(join(root, file), 'utf8')) as { engines: unknown }).engines,
  )
  expect(new Set(asked.map((engines) => JSON.stringify(engines)))).toEqual(
    new Set(['{"node":">=20.19"}']),
  )
  expect(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')).toMatch(/^engineStrict: true$/m)
})
