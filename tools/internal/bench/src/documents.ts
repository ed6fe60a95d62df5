import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Arguments } from '@farebox/command-line'
import { computeMedian, parseRounds, showTable } from './measure.js'
import { installPeer, peerVersions } from './peer-versions.js'
import { type Format, pages, writeDocument } from './documents/write.js'
import type { Reading } from './documents/reader-process.js'

const formats: readonly Format[] = ['pdf', 'docx', 'pptx', 'xlsx']

/**
 * Pages a second that each extractor reads, and the memory of a process that does nothing else. Each
 * measurement has a process of its own, which reads a document once before it counts.
 */
export async function benchmarkDocuments(args: Arguments): Promise<void> {
  const rounds = parseRounds(args.operands, 5)
  const parties = listParties()
  const place = mkdtempSync(join(tmpdir(), 'farebox-documents-'))
  const table: Record<string, object> = {}
  try {
    for (const format of formats) {
      const path = join(place, `document.${format}`)
      writeFileSync(path, await writeDocument(format))
      const able = parties.filter((party) => party.formats.includes(format))
      const readings = new Map(able.map(({ name }) => [name, [] as Reading[]]))
      for (let round = 0; round < rounds; round++)
        for (const { name, kind, module } of able)
          readings.get(name)?.push(measure(kind, module, path))
      for (const [name, all] of readings) {
        const speed = computeMedian(all.map(({ milliseconds }) => (pages * 1000) / milliseconds))
        const peak = computeMedian(all.map(({ peakBytes }) => peakBytes))
        table[`${format}, ${name}`] = {
          'pages/s': Math.round(speed),
          'peak memory, MB': Math.round(peak / 1e6),
        }
      }
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  console.log(
    `Text of a document of ${pages} pages, slides or sheets, the median of ${rounds} processes that take turns.`,
  )
  showTable(table, args.has('save') && 'documents')
}

type Party = {
  readonly name: string
  readonly kind: string
  /** The module that its process imports. */
  readonly module: string
  readonly formats: readonly Format[]
}

function listParties(): readonly Party[] {
  const peer = (kind: 'officeparser' | 'pdf-parse', of: readonly Format[]): Party => {
    const folder = installPeer(kind)
    const module = createRequire(join(folder, 'package.json')).resolve(kind)
    return { name: `${kind} ${peerVersions[kind]}`, kind, module, formats: of }
  }
  const module = fileURLToPath(import.meta.resolve('@farebox/office-text'))
  return [
    { name: '@farebox/office-text', kind: 'office-text', module, formats },
    peer('officeparser', formats),
    peer('pdf-parse', ['pdf']),
  ]
}

function measure(kind: string, module: string, path: string): Reading {
  const script = fileURLToPath(new URL('documents/reader-process.js', import.meta.url))
  const output = execFileSync(process.execPath, [script, kind, module, path], { encoding: 'utf8' })
  const reading = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Reading
  if (reading.words !== pages) {
    const size = readFileSync(path).length
    throw new Error(`${kind} found ${reading.words} of ${pages} pages in ${path} (${size} bytes)`)
  }
  return reading
}
