import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const shim = fileURLToPath(new URL('../shift-date.cjs', import.meta.url))
const days = 400

/** What a program prints as JSON, in a process that is moved. */
function runProgram(program: string, ...shims: readonly string[]): unknown {
  const before = Number(process.env['DAYS_AHEAD'] ?? 0)
  const env = { ...process.env, DAYS_AHEAD: String(before + days), NODE_OPTIONS: '' }
  const preloaded = [shim, ...shims].map((path) => `--require=${path}`)
  return JSON.parse(
    execFileSync(process.execPath, [...preloaded, '--input-type=module', '--eval', program], {
      env,
      encoding: 'utf8',
    }),
  )
}

/** Whole days between a time and now, as the process that tests has it. */
const countDaysAhead = (time: unknown): number =>
  Math.round((Number(time) - Date.now()) / 86_400_000)

it('now is later in every API', () => {
  const asked = [
    'Date.now()',
    'new Date().getTime()',
    'Date.parse(Date())',
    'new (class extends Date {})().getTime()',
    'performance.timeOrigin',
  ]
  expect(
    (runProgram(`console.log(JSON.stringify([${asked.join()}]))`) as number[]).map(countDaysAhead),
  ).toEqual(asked.map(() => days))
})

it('a copy of the repository, which also preloads its shim, does not shift the date twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-shim-'))
  const copy = join(folder, 'shift-date.cjs')
  copyFileSync(shim, copy)
  expect(countDaysAhead(runProgram('console.log(Date.now())', copy))).toBe(days)
  rmSync(folder, { recursive: true })
})

it('explicit dates and the Date class are unchanged', () => {
  expect(
    runProgram(
      `console.log(JSON.stringify([new Date(0), new Date() instanceof Date, new Date().constructor === Date]))`,
    ),
  ).toEqual(['1970-01-01T00:00:00.000Z', true, true])
})

it.each([
  [
    'spawned',
    `import { spawnSync } from 'node:child_process'; const run = (file, args, options) => spawnSync(file, args, options).stdout`,
  ],
  ['executed', `import { execFileSync as run } from 'node:child_process'`],
  [
    'executed later',
    `import { execFile } from 'node:child_process'; import { promisify } from 'node:util'
    const run = async (...given) => (await promisify(execFile)(...given)).stdout`,
  ],
])('a child that is %s with its own environment is equally late', (_how, imports) => {
  const child = `await run(process.execPath, ['-p', 'Date.now()'], { env: {} })`
  expect(countDaysAhead(runProgram(`${imports}; console.log(String(${child}))`))).toBe(days)
})

it("a server's Date header is later", () => {
  const program = `import { createServer } from 'node:http'
    const server = createServer((_request, response) => response.end()).listen(0, async () => {
      const { headers } = await fetch('http://127.0.0.1:' + server.address().port)
      console.log(Date.parse(headers.get('date')))
      server.close()
    })`
  expect(countDaysAhead(runProgram(program))).toBe(days)
})

it('file times are unchanged, and can be set', () => {
  const program = `import { statSync, utimesSync, mkdtempSync, rmSync } from 'node:fs'; import { stat } from 'node:fs/promises'; import { tmpdir } from 'node:os'
    const folder = mkdtempSync(tmpdir() + '/farebox-date-')
    const made = statSync(folder).mtimeMs
    utimesSync(folder, new Date(0), new Date(86_400_000))
    const { mtimeMs, mtime } = await stat(folder)
    rmSync(folder, { recursive: true })
    console.log(JSON.stringify([made, mtimeMs, mtime]))`
  const [made, ...given] = runProgram(program) as [number, number, string]
  expect(countDaysAhead(made)).toBe(days)
  expect(given).toEqual([86_400_000, '1970-01-02T00:00:00.000Z'])
})
