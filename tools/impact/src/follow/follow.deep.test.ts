import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createConsumer, generateInto, writeSpec, type Consumer } from '../../test/consumer.js'
import { changes, guesses, renames, readWorkshop } from '../../test/workshop.js'
import { TreeError } from '../fix/fix.js'
import { follow, type FollowOptions } from './follow.js'

let consumer: Consumer

/** The consumers in a repository of their own, which has the older version. */
beforeAll(async () => {
  consumer = await createConsumer('follow')
  await generateInto(consumer, readWorkshop())
  writeFileSync(join(consumer.root, '.gitignore'), '/bin\n/calls\n/origin.git\n')
  runGit('init', '--quiet', '--initial-branch=main')
  runGit('config', 'user.name', 'Harbour')
  runGit('config', 'user.email', 'harbour@example.test')
  runGit('add', '.')
  runGit('commit', '--quiet', '--message', 'Begin')
})

afterEach(() => {
  runGit('reset', '--quiet', '--hard')
  runGit('clean', '--quiet', '--force', '-d')
  runGit(
    'switch',
    '--quiet',
    '--force-create',
    'main',
    runGit('rev-list', '--max-parents=0', 'HEAD'),
  )
})

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: consumer.root, encoding: 'utf8' }).trim()
}

function read(path: string): string {
  return readFileSync(join(consumer.root, path), 'utf8')
}

/** A command that writes a file, and one that says something and fails. */
const writes = "node -e \"require('fs').writeFileSync('src/generated.txt', 'new')\""
const complains = 'node -e "console.log(\'src/a.ts(1,1): error\'); process.exit(2)"'

async function followDocument(given: Partial<FollowOptions> = {}): Promise<string | undefined> {
  return follow({
    cwd: consumer.root,
    spec: 'workshop.yaml',
    project: consumer.project,
    generate: writes,
    compile: complains,
    branch: 'follow',
    renamed: [],
    isOpened: false,
    allowRefs: false,
    warn: (message) => expect.unreachable(message),
    ...given,
  })
}

it('does nothing without a change of the document', async () => {
  expect(await followDocument()).toBeUndefined()
  expect(runGit('branch', '--show-current')).toBe('main')
})

it('rejects a working tree with other changes, and reports a failed command', async () => {
  await writeSpec(consumer, readWorkshop(changes['stats busy']), 'workshop')
  writeFileSync(join(consumer.root, 'mine.txt'), 'mine')
  await expect(followDocument()).rejects.toThrow(
    new TreeError(
      'The git tree has changes beside workshop.yaml, which would come into the pull request. Commit them first.',
    ),
  )
  rmSync(join(consumer.root, 'mine.txt'))
  await expect(followDocument({ generate: complains })).rejects.toThrow(
    /^node -e .* failed:\nsrc\/a\.ts\(1,1\): error$/,
  )
})

it('commits what is generated, then the fixes of each change', async () => {
  const both = (document: ReturnType<typeof readWorkshop>) => {
    renames['properties that say so']?.(document)
    renames['operations by their address']?.(document)
  }
  await writeSpec(consumer, readWorkshop(both), 'workshop')
  const body = await followDocument()
  const [first, ...fixes] = runGit('log', '--reverse', '--format=%s', 'main..follow').split('\n')
  expect(first).toBe('Follow the contract')
  expect(runGit('show', '--format=', '--name-only', `follow~${fixes.length}`)).toBe(
    'src/generated.txt\nworkshop.yaml',
  )
  expect(fixes.toSorted()).toEqual(
    [
      'Fix: JobRequest.prompt is gone',
      'Fix: createJob is called createTask now',
      'Fix: Job.note is gone',
      'Fix: listJobs is called listTasks now',
      'Fix: oldReport is called readReport now',
    ].toSorted(),
  )
  expect(runGit('log', '--format=%b', 'follow')).toContain('prompt is called text now')
  expect(read('src/inline.ts')).toContain("client.createTask({ text: prompt, quality: 'high' })")
  expect(body).toContain('````text\nsrc/a.ts(1,1): error\n````')
  // without a folder .changeset there is no changeset
  expect(runGit('status', '--porcelain')).toBe('')
})

it('names possible renames with the command that confirms them, and commits the confirmed ones', async () => {
  await writeSpec(consumer, readWorkshop(guesses.properties), 'workshop')
  const body = await followDocument({ renamed: ['prompt=text'] })
  const command =
    'npx farebox-follow --spec workshop.yaml --renamed prompt=text --renamed Job.note=side-note'
  expect(body).toContain(`## Possible renames\n`)
  expect(body).toContain(`- [ ] Job.note is called side-note now: \`${command}\`\n`)
  expect(runGit('log', '--reverse', '--format=%s', 'main..follow').split('\n')).toEqual([
    'Follow the contract',
    'Fix: JobRequest.prompt is gone',
  ])
})

it('reports that the code compiles, even with a new value that no compiler reports', async () => {
  await writeSpec(consumer, readWorkshop(changes['stats busy']), 'workshop')
  const body = await followDocument({ compile: 'node -e 0' })
  expect(body).toContain('The code compiles: `node -e 0` has no complaint.')
  expect(body).toContain(
    '5 places in 2 files: 0 break the compile, 5 the compiler does not report.',
  )
})

it('updates an existing pull request', async () => {
  const bin = join(consumer.root, 'bin')
  mkdirSync(bin)
  const calls = join(consumer.root, 'calls')
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$1 $2 $3" >> '${calls}'\n[ "$2" = edit ]\n`)
  chmodSync(join(bin, 'gh'), 0o755)
  const { PATH } = process.env
  process.env['PATH'] = [bin, PATH].join(delimiter)
  onTestFinished(() => void (process.env['PATH'] = PATH))
  runGit('init', '--quiet', '--bare', 'origin.git')
  runGit('remote', 'add', 'origin', join(consumer.root, 'origin.git'))
  await writeSpec(consumer, readWorkshop(changes['stats busy']), 'workshop')
  await followDocument({ isOpened: true })
  expect(read('calls')).toBe('pr create --head\npr edit follow\n')
  expect(runGit('rev-parse', 'follow')).toBe(
    runGit('ls-remote', 'origin', 'refs/heads/follow').split('\t')[0],
  )
})
