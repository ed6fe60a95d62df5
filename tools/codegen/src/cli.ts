#!/usr/bin/env node
import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { optimizeLate } from '@farebox/command-line'
import { main } from './command/main.js'

function isEntry(): boolean {
  const started = process.argv[1]
  return (
    started !== undefined &&
    existsSync(started) &&
    realpathSync(started) === fileURLToPath(import.meta.url)
  )
}

/** Runs the command for this process. */
export async function start(): Promise<void> {
  optimizeLate(2)
  // A document's text is large and short-lived. To collect it earlier than by default takes a sixth
  // less memory, and hardly more time.
  setFlagsFromString('--heap-growing-percent=25')
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.exitCode = await main(process.argv.slice(2), {
    out: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
    cwd: process.cwd(),
    env: process.env,
    now: () => performance.now(),
    signal: stop.signal,
    temp: tmpdir(),
    stdin: process.stdin,
    ...(process.stdin.isTTY && process.stdout.isTTY && { ask }),
    load: async () => (await import('./pipeline/generate.js')).generate,
  })
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

if (isEntry()) await start()
