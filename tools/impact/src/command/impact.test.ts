import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConsumer, generateInto, writeSpec, type Consumer } from '../../test/consumer.js'
import { changes, guesses, renames, readWorkshop } from '../../test/workshop.js'
import { impact } from './impact.js'

const run = promisify(execFile)

let consumer: Consumer
const home = process.cwd()
afterAll(() => process.chdir(home))

beforeAll(async () => {
  consumer = await createConsumer('command')
  await generateInto(consumer, readWorkshop())
  await writeSpec(consumer, readWorkshop(changes['stats busy']), 'busy')
  process.chdir(consumer.root)
})

type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** The command in this process, without a person to ask. */
async function runHere(...args: readonly string[]): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  const out = { write: (text: string) => (stdout += text) }
  const err = { write: (text: string) => (stderr += text) }
  const code = await impact(args, { environment: {}, out, err }, undefined)
  return { code, stdout, stderr }
}

it('fails on a place that no compiler reports only if requested', async () => {
  const [breaking, any] = [
    await runHere('workshop.yaml', 'busy.yaml', '--fail-on', 'breaking'),
    await runHere('workshop.yaml', 'busy.yaml', '--fail-on', 'any'),
  ]
  expect([breaking.code, any.code]).toEqual([0, 1])
  expect(any.stdout).toContain(
    'src/inline.ts:46:30 compiler does not report\n  getStats: it may respond with 503 now (',
  )
  expect(any.stdout).toContain(
    '5 places in 2 files: 0 break the compile, 5 the compiler does not report.',
  )
})

it('says what to do without a project and without a document', async () => {
  const [project, document] = [
    await runHere('workshop.yaml', '--spec', 'busy.yaml', '--project', 'no.json'),
    await runHere('no.yaml'),
  ]
  expect([project.code, document.code]).toEqual([1, 1])
  expect(project.stderr).toMatch(
    /There is no .*no\.json\. Name the consumer's tsconfig\.json with --project\./,
  )
  expect(document.stderr).toContain('no.yaml is neither a file nor a git revision here.')
})

it.each([
  ['{ "compilerOptions": {', "'}' expected."],
  ['{ "extends": "./gone.json", "include": ["src"] }', 'gone.json'],
  ['{ "files": [], "references": [{ "path": "src" }] }', 'names no files.'],
])('explains what is wrong with the tsconfig.json %s', async (text, sentence) => {
  writeFileSync(join(consumer.root, 'faulty.json'), text)
  const { code, stderr } = await runHere(
    'workshop.yaml',
    '--spec',
    'busy.yaml',
    '--project',
    'faulty.json',
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(/^farebox-impact: .*faulty\.json /)
  expect(stderr).toContain(sentence)
})

describe('--fix', () => {
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: consumer.root })
  const read = () => readFileSync(join(consumer.root, 'src/inline.ts'), 'utf8')

  beforeAll(async () => {
    await writeSpec(consumer, readWorkshop(renames['operations by their address']), 'renamed')
    await git('init', '-q')
  })

  it('rejects a working tree with changes, and options that require --fix', async () => {
    const before = read()
    const [rejected, alone] = [
      await runHere('workshop.yaml', 'renamed.yaml', '--fix'),
      await runHere('workshop.yaml', '--dry-run'),
    ]
    expect([rejected.code, alone.code, read()]).toEqual([1, 2, before])
    expect(rejected.stderr).toContain(
      'The git tree has changes, which the edits would be mixed with.',
    )
    expect(alone.stderr).toContain('--dry-run is for --fix, which is not given.')
  })

  deepTest('lists possible renames with what to type', async () => {
    await writeSpec(consumer, readWorkshop(guesses.properties), 'guessed')
    const open = await runHere(
      'workshop.yaml',
      'guessed.yaml',
      '--fix',
      '--dry-run',
      '--renamed',
      'prompt=text',
    )
    expect(open.stderr).toContain(
      'possible rename: Job.note is called side-note now. If so, give --renamed Job.note=side-note\n',
    )
    expect(open.stderr).not.toContain('possible rename: JobRequest')
    expect(open.stdout).toContain('{ text: prompt,')
  })

  it('prints a diff that git applies, and writes nothing', async () => {
    const before = read()
    const dry = await runHere('workshop.yaml', 'renamed.yaml', '--fix', '--dry-run')
    expect(dry.stderr).toContain(
      'src/inline.ts:7:29 createJob is called createTask now (operation-id-changed',
    )
    expect(read()).toBe(before)
    writeFileSync(join(consumer.root, 'fix.diff'), dry.stdout)
    await git('apply', '--check', 'fix.diff')
  })

  it('writes the edits to a clean working tree', async () => {
    await git('add', '-A')
    await git('commit', '-q', '-m', 'Before')
    const fixed = await runHere('workshop.yaml', 'renamed.yaml', '--fix')
    expect(fixed.stdout).toMatch(/^22 edits\. 0 places left to you\.$/m)
    await git('apply', '--check', '--reverse', 'fix.diff')
  })
})
