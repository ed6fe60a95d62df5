import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sha256 } from '../document/read-input.js'

/** The outcome for a document. */
export type Outcome = {
  readonly document: string
  readonly verdict: 'whole' | 'in part' | 'rejected' | 'failed'
  /** The output of the run, if the document was not generated completely. */
  readonly notes: readonly string[]
}

const command = fileURLToPath(new URL('../cli.js', import.meta.url))

/** A document that takes longer counts as a failure of the generator. */
const maxMilliseconds = 180_000

/** Runs the command in a separate process, so that no document affects the next. */
export async function tryDocument(document: string, cwd: string, out: string): Promise<Outcome> {
  const options = [
    '--spec',
    document,
    '--out',
    out,
    '--only',
    'types,zod,client',
    '--no-cache',
    '--quiet',
  ]
  const { code, text } = await promisify(execFile)(process.execPath, [command, ...options], {
    cwd,
    maxBuffer: 1e9,
    timeout: maxMilliseconds,
  }).then(
    ({ stderr }) => ({ code: 0, text: stderr }),
    (error: { readonly code?: unknown; readonly stderr?: string }) => ({
      code: error.code,
      text: error.stderr ?? '',
    }),
  )
  const loss = text
    .split('\n')
    .find((line) => line.endsWith('run with --strict to reject such a document.'))
  if (code === 0)
    return {
      document,
      verdict: loss === undefined ? 'whole' : 'in part',
      notes: loss === undefined ? [] : [loss],
    }
  const faults = text.split('\n').filter((line) => / error FB\d+: /.test(line))
  return {
    document,
    verdict: code === 1 ? 'rejected' : 'failed',
    notes: code === 1 ? faults.slice(0, 3) : text.split('\n').slice(0, 3),
  }
}

const maxBytes = 64 * 1024 * 1024

/** Every distinct OpenAPI and Swagger document in a folder or below, sorted by path. */
export async function findDocuments(folder: string): Promise<readonly string[]> {
  const known = new Set<string>()
  const found: string[] = []
  for (const path of await listFiles(folder)) {
    if (!/\.(json|ya?ml)$/i.test(path) || (await stat(path)).size > maxBytes) continue
    const bytes = await readFile(path)
    const hash = sha256(bytes)
    if (known.has(hash) || !isDocument(path, bytes.toString())) continue
    known.add(hash)
    found.push(path)
  }
  return found
}

/** In every folder but those of links, which would count a package of pnpm twice. */
async function listFiles(folder: string): Promise<readonly string[]> {
  if (!(await stat(folder)).isDirectory()) return [folder]
  const paths: string[] = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name)
      if (entry.isDirectory() && entry.name !== '.git') folders.push(path)
      else if (entry.isFile()) paths.push(path)
    }
  }
  return paths.toSorted()
}

/** By the version at the top: packages call their documents by any name. */
export function isDocument(path: string, text: string): boolean {
  if (/^\s*\{/.test(text.slice(0, 1000)) && path.toLowerCase().endsWith('.json')) {
    if (!/"(?:openapi|swagger)"/.test(text)) return false
    try {
      const data = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
      return ['openapi', 'swagger'].some((key) => /^[23]/.test(String(data[key])))
    } catch {
      return false
    }
  }
  return /^\uFEFF?["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[23]/m.test(text)
}
