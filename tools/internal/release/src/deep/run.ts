// `pnpm test:deep [GROUP …]`: what finds a fault once a month. `.ci/run` spends some minutes on it.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expected, runProgram, world, type Program } from '@farebox/command-line'
import { root } from '../root.js'
import {
  chooseGroups,
  type ChosenGroup,
  readPassed,
  takeNext,
  writePassed,
} from './choose-groups.js'
import { groups, type Group, type GroupCommand } from './groups.js'

const program: Program<'minutes' | 'base' | 'again'> = {
  name: 'test:deep',
  summary: 'runs the deep suite: what finds a fault once a month, and takes minutes',
  details: `Without operands it runs every group, two at a time, and a later run goes on with those that have not passed on the same tree. With --minutes it runs what
fits into that time, without groups that install Debian packages: first those whose inputs differ from --base, then the others, from another one on for each commit.`,
  operands: [
    { name: 'GROUP', required: false, many: true, choices: groups.map(({ name }) => name) },
  ],
  flags: [
    {
      name: 'minutes',
      kind: 'text',
      value: 'MINUTES',
      help: 'start no group that would end later',
    },
    {
      name: 'base',
      kind: 'text',
      value: 'COMMIT',
      help: 'what the changes of a commit are measured against',
      fallback: 'HEAD^',
    },
    { name: 'again', kind: 'switch', help: 'run the groups that passed already, too' },
  ],
  notes: [
    {
      title: 'Groups:',
      rows: groups.map(
        ({ name, what, seconds }) => [name, `${what} (about ${seconds} s)`] as const,
      ),
    },
    { title: 'Exit codes:', text: '0 every group that ran passed, 1 one failed, 2 wrong usage.' },
  ],
  examples: [
    'npx --yes pnpm@12.21.0 test:deep',
    'npx --yes pnpm@12.21.0 test:deep newcomer release',
  ],
}

const cache = join(root, 'node_modules/.cache/farebox-deep')
const state = join(cache, 'passed.json')
const commit = runGit('rev-parse', 'HEAD').trim()
const seed = Number.parseInt(commit.slice(0, 7), 16)

process.exitCode = await runProgram(program, process.argv.slice(2), world, async (args) => {
  mkdirSync(cache, { recursive: true })
  const minutes = args.integer('minutes', 1, 600)
  if (minutes !== undefined) return runCommit(minutes, args.text('base') ?? 'HEAD^')
  const namedGroups = groups.filter(({ name }) => args.operands.includes(name))
  const unknown = args.operands.find((operand) => !groups.some(({ name }) => name === operand))
  if (unknown !== undefined)
    throw expected('GROUP', unknown, groups.map(({ name }) => name).join(', '))
  const passed = args.operands.length > 0 || args.has('again') ? [] : readPassed(state)
  const left = (namedGroups.length > 0 ? namedGroups : groups).filter(
    ({ name }) => !passed.includes(name),
  )
  if (passed.length > 0)
    console.log(`Passed already on this tree: ${passed.join(', ')} (--again runs them too)`)
  return runAll(left, passed)
})

/** Every one of these groups, two at a time, also after one that failed. */
async function runAll(groups: readonly Group[], before: readonly string[]): Promise<number> {
  const left = [...groups]
  const passed = [...before]
  const failed: string[] = []
  const running: Group[] = []
  const runLane = async (isLast: boolean): Promise<void> => {
    for (let group; (group = takeNext(left, running, isLast)) !== undefined;) {
      running.push(group)
      if (await runAndReport(group)) {
        passed.push(group.name)
        if (groups.length > 1) writePassed(state, passed)
      } else failed.push(group.name)
      running.splice(running.indexOf(group), 1)
    }
  }
  await Promise.all([runLane(false), runLane(true)])
  // what was in the way of the other lane's last
  await runLane(false)
  return reportEnd(failed, groups.length)
}

/** What fits into the time. */
async function runCommit(minutes: number, base: string): Promise<number> {
  const until = performance.now() + minutes * 60_000
  const left: ChosenGroup[] = []
  const failed: string[] = []
  let count = 0
  for (const chosen of chooseGroups(groups, createChangeCheck(base), seed)) {
    if (performance.now() + chosen.group.seconds * 1000 > until) {
      left.push(chosen)
      continue
    }
    count++
    if (!(await runAndReport(chosen.group, chosen.isDue ? ', changed by this commit' : '')))
      failed.push(chosen.group.name)
  }
  const lines = left.map(
    ({ group, isDue }) => group.name + (isDue ? ' (changed by this commit)' : ''),
  )
  if (lines.length > 0) console.log(`Did not fit into ${minutes} minutes: ${lines.join(', ')}`)
  const debian = groups.filter(({ needsDebian }) => needsDebian).map(({ name }) => name)
  console.log(`Not of a commit, since they install Debian packages: ${debian.join(', ')}`)
  return reportEnd(failed, count)
}

function reportEnd(failed: readonly string[], count: number): number {
  const seconds = Math.round(performance.now() / 1000)
  console.log(
    failed.length === 0
      ? `${count} groups passed in ${seconds} s`
      : `FAILED: ${failed.join(', ')} of ${count} groups, in ${seconds} s`,
  )
  return failed.length === 0 ? 0 : 1
}

/** Runs a group and says so in a line. Of one that fails, the end of what it printed. */
async function runAndReport(group: Group, why = ''): Promise<boolean> {
  const log = join(cache, `${group.name}.log`)
  const { failed, seconds, processorSeconds } = await runGroup(group, seed, log)
  const times = `${seconds.toFixed(0).padStart(5)} s, ${processorSeconds.toFixed(0).padStart(5)} s of processor time`
  if (failed === undefined) {
    console.log(`ok      ${group.name.padEnd(16)}${times}${why}`)
    return true
  }
  const end = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-60)
  console.log(end.map((line) => `        ${line}`).join('\n'))
  console.log(
    `FAILED  ${group.name.padEnd(16)}${times}${why}\n        repeat: ${failed}\n        whole output: ${log}`,
  )
  return false
}

/** Whether a path that git finds by one of these patterns differs from a commit. */
function createChangeCheck(base: string): (inputs: readonly string[]) => boolean {
  try {
    runGit('rev-parse', '--quiet', '--verify', `${base}^{commit}`)
  } catch {
    console.log(`${base} is not in this clone, so no group counts as changed.`)
    return () => false
  }
  return (inputs) =>
    runGit('diff', '--name-only', base, '--', ...inputs.map((input) => `:(glob)${input}`)) !== ''
}

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
}

type Outcome = {
  /** The command that failed, as one may repeat it. */
  readonly failed?: string
  readonly seconds: number
  /** Of all processes of the group. */
  readonly processorSeconds: number
}

/** Runs the commands of a group up to the first that fails. Their output goes into `log`. */
async function runGroup(group: Group, seed: number, log: string): Promise<Outcome> {
  const output = openSync(log, 'w')
  const start = performance.now()
  let processorSeconds = 0
  let failed: string | undefined
  try {
    for (const one of group.commands(seed)) {
      const { code, used } = await measure(one, output)
      processorSeconds += used
      if (code !== 0) failed = formatCommand(one)
      if (failed !== undefined) break
    }
  } finally {
    closeSync(output)
  }
  return {
    ...(failed !== undefined && { failed }),
    seconds: (performance.now() - start) / 1000,
    processorSeconds,
  }
}

/** A shell knows the time of its children, which Node does not. */
async function measure({ command, folder = '', env }: GroupCommand, output: number) {
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >&3; exit $code', 'sh', ...command], {
    cwd: join(root, folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output, 'pipe'],
  })
  let times = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => (times += chunk.toString()))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
  return { code, used: parseSeconds(times.split('\n')[1] ?? '') }
}

/** Of a line such as `1m2.5s 0m3.1s`. */
function parseSeconds(line: string): number {
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}

function formatCommand({ command, folder, env = {} }: GroupCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const line = [...variables, ...command].join(' ')
  return folder === undefined ? line : `cd ${folder} && ${line}`
}
