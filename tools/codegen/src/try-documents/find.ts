import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../document/hash.js'

const maxBytes = 64 * 1024 * 1024

/** Every distinct OpenAPI and Swagger document in a folder or below, sorted by path. */
export async function findDocuments(folder: string): Promise<readonly string[]> {
  const known = new Set<string>()
  const found: string[] = []
  for (const path of await filesBelow(folder)) {
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
async function filesBelow(folder: string): Promise<readonly string[]> {
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
