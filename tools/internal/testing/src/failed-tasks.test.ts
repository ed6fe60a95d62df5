import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { failedTasks } from './failed-tasks.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farebox-tasks-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function ran(run: string, tasks: Readonly<Record<string, number | undefined>>): void {
  const written = Object.entries(tasks).map(([taskId, exitCode]) => ({
    taskId,
    logFile: `logs/${taskId}.log`,
    ...(exitCode !== undefined && { execution: { exitCode } }),
  }))
  write(`.turbo/runs/${run}.json`, JSON.stringify({ tasks: written }))
}

it('names the tasks that failed in any run, with the end of their logs in plain text', () => {
  ran('first', { '//#drift': 0, '@farebox/zod#build': 2 })
  ran('second', { '//#lint:all': 1, '//#budgets': undefined })
  write('logs/@farebox/zod#build.log', 'error TS1005\n')
  write(
    'logs///#lint:all.log',
    `${'0 errors\n'.repeat(40)}\u001B[31mprogram.ts\u001B[0m\nFormat issues found\n`,
  )
  expect(failedTasks(root, [])).toEqual([
    { name: '@farebox/zod#build', end: 'error TS1005' },
    { name: '//#lint:all', end: `${'0 errors\n'.repeat(18)}program.ts\nFormat issues found` },
  ])
})

it('leaves failed tests to their reports, unless those know of none', () => {
  const execution = { exitCode: 1, error: 'exited (1)' }
  const tasks = ['zod', 'auth'].map((name) => ({
    taskId: `@farebox/${name}#test`,
    directory: `packages/${name}`,
    execution,
  }))
  write('.turbo/runs/first.json', JSON.stringify({ tasks }))
  expect(failedTasks(root, ['packages/zod'])).toEqual([
    { name: '@farebox/auth#test', end: 'exited (1)' },
  ])
})

it('names a task that left no log', () => {
  ran('first', { '//#budgets': 1 })
  expect(failedTasks(root, [])).toEqual([{ name: '//#budgets', end: '(it left no log)' }])
})

it('names a task that turbo keeps no log of', () => {
  const tasks = [
    {
      taskId: '//#changesets',
      execution: { exitCode: 1, error: 'command pnpm run changesets exited (1)' },
    },
  ]
  write('.turbo/runs/first.json', JSON.stringify({ tasks }))
  expect(failedTasks(root, [])).toEqual([
    { name: '//#changesets', end: 'command pnpm run changesets exited (1)' },
  ])
})

it('finds nothing where turbo wrote no summary', () => {
  expect(failedTasks(root, [])).toEqual([])
})
