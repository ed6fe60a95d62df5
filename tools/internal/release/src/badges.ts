// Draws the badges of README.md from what the repository says and has measured, as a part of
// `pnpm generate`. `--check` compares instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { listReadmeFigures } from './list-published.js'
import { root } from './root.js'

/** What a badge says: the subject on the left, the fact on the right. */
type Badge = { readonly file: string; readonly subject: string; readonly fact: string }

const badgeFolder = '.github/badges'

/** The badges, each with a fact that a test or a measurement of this repository guards. */
function listBadges(): readonly Badge[] {
  const { engines, license } = readJson('package.json') as {
    readonly engines: { readonly node: string }
    readonly license: string
  }
  const faults = readJson('tools/internal/bench/results/faults.json') as Readonly<
    Record<string, Readonly<Record<string, number>>>
  >
  const sdk = listReadmeFigures().find(({ name }) => name === 'farebox')
  return [
    { file: 'license.svg', subject: 'licence', fact: license },
    { file: 'node.svg', subject: 'node', fact: engines.node },
    { file: 'size.svg', subject: 'SDK, compressed', fact: `${sdk?.kilobytes} kB` },
    {
      file: 'faults.svg',
      subject: 'faults handled',
      fact: `${faults['farebox']?.['right, of 84']} of 84`,
    },
  ]
}

/** A badge as SVG. Its texts have a fixed width, so that any font fits. */
export function renderBadge({ subject, fact }: Badge): string {
  const [left, right] = [subject, fact].map((text) => Math.round(text.length * charWidth) + 16) as [
    number,
    number,
  ]
  const text = (words: string, x: number, width: number): string =>
    `<text x="${x + 8}" y="14" textLength="${width - 16}">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${subject}: ${fact}">
<clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#33413f"/><rect x="${left}" width="${right}" height="20" fill="#0b6f62"/></g>
<g fill="#fff" font-family="Verdana, 'DejaVu Sans', sans-serif" font-size="11">${text(subject, 0, left)}${text(fact, left, right)}</g>
</svg>
`
}

const charWidth = 6.6

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const check = process.argv.includes('--check')
  for (const badge of listBadges()) {
    const file = join(root, badgeFolder, badge.file)
    if (!check) writeFileSync(file, renderBadge(badge))
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== renderBadge(badge)) {
      process.stderr.write(
        `${badgeFolder}/${badge.file} does not say "${badge.fact}": run \`npx --yes pnpm@12.21.0 generate\`.\n`,
      )
      process.exitCode = 1
    }
  }
}
