import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildApi, loadDocument, type Api } from '@farebox/codegen/model'
import { parse } from 'yaml'
import type { Node } from './edits.js'
import type { Change } from '../src/change/change.js'
import { compareApi } from '../src/compare/contracts.js'
import { joinVerdicts, packageKeys } from '../src/change/verdict.js'

type Edit = (document: Node) => void

export const unchanged: Edit = () => undefined

/** The base document, and others made of it, in a folder of their own. */
export type Bench = {
  readonly api: (edit: Edit) => Promise<Api>
  readonly diff: (edit: Edit) => Promise<readonly Change[]>
  /** The impact that `redocly diff` sees of each edit: `none` for no change. */
  readonly redocly: (edits: readonly Edit[]) => Promise<readonly string[]>
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
  const load = async (name: string): Promise<Api> => {
    const { document, diagnostics } = await loadDocument(name, { cwd: folder })
    const built = document && buildApi(document)
    if (!built?.api)
      throw new Error(JSON.stringify([...diagnostics, ...(built?.diagnostics ?? [])]))
    return built.api
  }
  const apis = new Map<Edit, Promise<Api>>()
  const api: Bench['api'] = (edit) => {
    const known = apis.get(edit) ?? load(write(edit))
    apis.set(edit, known)
    return known
  }
  return {
    api,
    diff: async (edit) => compareApi(await api(unchanged), await api(edit)),
    redocly: async (edits) => {
      const heads = edits.map(write)
      await run(process.execPath, [redoclyDiffs, redocly, write(unchanged), ...heads], {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      })
      return heads.map((head) => {
        const { changes } = JSON.parse(readFileSync(join(folder, `${head}.diff`), 'utf8')) as {
          readonly changes: readonly { readonly impact: string }[]
        }
        return (
          ['major', 'minor', 'patch'].find((impact) =>
            changes.some((change) => change.impact === impact),
          ) ?? 'none'
        )
      })
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What a diff asks of types, zod, client and SDK, in this order. */
export function formatVerdict(changes: readonly Change[]): string {
  const together = joinVerdicts(changes.map(({ verdicts }) => verdicts))
  return packageKeys.map((key) => together[key]).join(' ')
}

const run = promisify(execFile)
const main = createRequire(import.meta.url).resolve('@redocly/cli/package.json')
const redocly = join(dirname(main), 'lib', 'index.js')
const redoclyDiffs = fileURLToPath(new URL('redocly-diffs.mjs', import.meta.url))
