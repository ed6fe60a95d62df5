import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleCases } from '@farebox/testing/rounds'
import { expect, it, onTestFinished } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs the quickstart of a fresh clone whose `npx` prints an error and fails. */
function runQuickstart(error: string) {
  const { folder, remove } = createTemporaryFolder('quickstart')
  onTestFinished(remove)
  for (const name of ['package.json', 'tools/require-node.mjs'])
    cpSync(join(root, name), join(folder, name))
  for (const name of ['run.mjs', 'install.mjs', 'causes.mjs', 'package.json'])
    cpSync(join(root, 'tools/quickstart', name), join(folder, 'tools/quickstart', name))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\necho '${error}' >&2\nexit 1\n`, {
    mode: 0o755,
  })
  const PATH = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter)
  return spawnSync('node', ['tools/quickstart'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH, NO_COLOR: '1' },
  })
}

it.each(
  sampleCases([
    [
      'no network',
      'FetchError: getaddrinfo ENOTFOUND registry.example',
      'The npm registry cannot be reached.',
    ],
    [
      'a network that rejects',
      'connect ECONNREFUSED 10.0.0.1:443',
      'The npm registry cannot be reached.',
    ],
    [
      'a certificate of a proxy',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'The certificate of the npm registry is not trusted.',
    ],
    ['a full disk', 'ENOSPC: no space left on device, write', 'The disk is full.'],
    [
      'a folder of somebody else',
      'EACCES: permission denied, mkdir',
      'A folder cannot be written.',
    ],
  ]),
)('the quickstart names the cause of a failed install: %s', (_, error, cause) => {
  const { status, stdout, stderr } = runQuickstart(error)
  expect(status).toBe(1)
  expect(stdout).toMatch(
    /^Farebox quickstart\n\n {2}✗ Install what the quickstart runs with +\d+\.\d s\n$/,
  )
  expect(stderr).toContain(`\n  ${cause}`)
  expect(stderr).toContain(error)
})

it('a failure without a known cause shows the command and what it printed', () => {
  const { stderr } = runQuickstart('out of luck')
  expect(stderr).toMatch(/^\nThis command failed: npx .*\n\nout of luck\n/)
})

it('the image in the README shows the steps of the quickstart', () => {
  const [code, picture] = ['tools/quickstart/src/main.ts', '.github/quickstart.svg'].map((name) =>
    readFileSync(join(root, name), 'utf8'),
  )
  const steps = [...(code ?? '').matchAll(/step\(\s*'([^']+)'/g)].map(([, title]) => title)
  expect(steps).toContain('Pay 5 USD with one signature')
  expect(steps.filter((title) => !picture?.includes(`>${title}</tspan>`))).toEqual([])
})
