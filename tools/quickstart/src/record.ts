// `node tools/quickstart/dist/record.js [FILE]`: runs the quickstart and draws its output, for the README.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { drawTerminal, type ShownLine } from './terminal-svg.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const picture = process.argv[2] ?? new URL('../../../.github/quickstart.svg', import.meta.url)

const start = performance.now()
const child = spawn(process.execPath, ['tools/quickstart'], {
  cwd: root,
  env: { ...process.env, FORCE_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const lines: ShownLine[] = []
createInterface({ input: child.stdout }).on('line', (text) => {
  lines.push({ text, at: (performance.now() - start) / 1000 })
  process.stdout.write(`${text}\n`)
})
const [status] = (await once(child, 'close')) as [number | null]
if (status === 0)
  writeFileSync(
    picture,
    drawTerminal('node tools/quickstart', lines.slice(0, findLastLine(lines) + 1)),
  )
else process.exitCode = 1

/** The last line with something on it. */
function findLastLine(lines: readonly ShownLine[]): number {
  return lines.findLastIndex(({ text }) => stripVTControlCharacters(text).trim() !== '')
}
