import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildApi, loadDocument, type Api } from '@farebox/codegen'
import { parse } from 'yaml'
import type { Node } from './edits.js'
import type { Change } from '../src/change.js'
import { compareApi } from '../src/compare-api.js'
import { joined, packageKeys } from '../src/verdict.js'

type Edit = (document: Node) => void

/** The base document, and others made of it, in a folder of their own. */
export type Bench = {
  readonly api: (edit: Edit) => Promise<Api>
  readonly diff: (edit: Edit) => Promise<readonly Change[]>
  /** The impact that `redocly diff` sees, in a process of its own: `none` for no change. */
  readonly redocly: (edit: Edit) => Promise<string>
  readonly close: () => void
}

export function createBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'spec-diff-test-'))
  const base = readFileSync(new URL('base.yaml', import.meta.url), 'utf8')
  let serial = 0
  const write = (edit: Edit): string => {
    const document = parse(base) as Node
    edit(document)
    const name = `document-${++serial}.json`
    writeFileSync(join(folder, name), JSON.stringify(document, undefined, 2))
    return name
  }
  const untouched = write(() => undefined)
  const load = async (name: string): Promise<Api> => {
    const { document, diagnostics } = await loadDocument(name, { cwd: folder })
    const built = document && buildApi(document)
    if (!built?.api) throw new Error(JSON.stringify([...diagnostics, ...(built?.diagnostics ?? [])]))
    return built.api
  }
  return {
    api: (edit) => load(write(edit)),
    diff: async (edit) => compareApi(await load(untouched), await load(write(edit))),
    redocly: async (edit) => {
      const args = [redocly, 'diff', untouched, write(edit), '--format=json', '--fail-on=none']
      const { stdout } = await run(process.execPath, args, {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      })
      const { changes } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { readonly changes: readonly { readonly impact: string }[] }
      return ['major', 'minor', 'patch'].find((impact) => changes.some((change) => change.impact === impact)) ?? 'none'
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What a diff asks of types, zod, client and SDK, in this order. */
export function verdictOf(changes: readonly Change[]): string {
  const together = joined(changes.map(({ verdicts }) => verdicts))
  return packageKeys.map((key) => together[key]).join(' ')
}

const run = promisify(execFile)
const main = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
const redocly = join(dirname(main), 'bin', 'cli.js')
