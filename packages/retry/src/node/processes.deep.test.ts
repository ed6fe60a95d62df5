import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../test/pacing-process.mjs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'farebox-processes-'))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(home, { recursive: true }))

const start = Date.UTC(2026, 5, 30, 12)
const minute = 60_000

/** 60 requests of the last minute; more than 20 failures within 30 s block for 30 s. */
function startService(respond: (index: number) => number) {
  let admitted: number[] = []
  let failed: number[] = []
  const succeededAt: number[] = []
  const counts = { requests: 0, limited: 0, blocked: 0, failed: 0 }
  const status = (time: number): number => {
    admitted = admitted.filter((at) => at > time - minute)
    failed = failed.filter((at) => at > time - 30_000)
    if (failed.length > 20) return (counts.blocked++, 429)
    if (admitted.length >= 60) return (counts.limited++, 429)
    admitted.push(time)
    return respond(counts.requests++)
  }
  const handle = (time: number) => {
    const code = status(time)
    if (code >= 400) {
      failed.push(time)
      counts.failed++
    } else succeededAt.push(time - start)
    const reset = Math.ceil(((admitted[0] ?? time) + minute) / 1000)
    const headers = {
      date: new Date(time).toUTCString(),
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': String(60 - admitted.length),
      'x-ratelimit-reset-requests': String(reset),
    }
    return { status: code, headers }
  }
  return { handle, succeededAt, counts }
}

type Message = { readonly id?: number; readonly ran?: number; readonly next?: number }

/**
 * Runs four processes on one clock until the moment. The clock moves to the first timer of all
 * processes when all are idle, so a slow machine changes nothing.
 */
async function runProcesses(
  folder: string,
  { handle }: ReturnType<typeof startService>,
  calls: number,
  until: number,
): Promise<void> {
  let time = start
  let reports: number[] = []
  let stepped: (next: number) => void = () => undefined
  const step = (send: () => void) =>
    new Promise<number>((resolve) => {
      reports = []
      stepped = resolve
      send()
    })
  const startAll = () => {
    for (let index = 0; index < 4; index++) {
      const child = fork(program, [folder, String(start), String(calls)], {
        execArgv: [],
        serialization: 'advanced',
      })
      children.push(child)
      child.on('message', ({ id, ran, next = Infinity }: Message) => {
        if (id !== undefined) child.send({ id, ...handle(time) })
        if (ran === time && reports.push(next) === children.length) stepped(Math.min(...reports))
      })
    }
  }
  time = await step(startAll)
  while (time <= start + until) {
    time = await step(() => {
      for (const child of children) child.send({ run: time })
    })
  }
}

test('four processes that share a folder get no 429 and no block, and use 97.5 % of the slots', async () => {
  const service = startService(() => 200)
  await runProcesses(join(home, 'healthy'), service, 45, 2.2 * minute)
  expect(service.counts).toEqual({ requests: 180, limited: 0, blocked: 0, failed: 0 })
  // the third window of the service begins after two minutes, and its resets are whole seconds
  expect((2 * minute) / (service.succeededAt.at(-1) ?? Infinity)).toBeGreaterThanOrEqual(0.975)
})

test('four processes that share a folder fail 18 times in total within 30 s, and are not blocked', async () => {
  const service = startService(() => 500)
  await runProcesses(join(home, 'failing'), service, 40, 20_000)
  expect(service.counts).toEqual({ requests: 18, failed: 18, limited: 0, blocked: 0 })
})
