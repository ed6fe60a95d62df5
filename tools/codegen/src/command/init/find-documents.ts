import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where projects keep such a document, the likeliest first. */
const folders = ['.', 'spec', 'openapi', 'api', 'docs', 'schema', 'src', 'src/api', 'public', 'swagger']

/** Every document of OpenAPI, Swagger included, in these folders of a project. */
export async function findDocuments(cwd: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of folders) {
    const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => [])
    const names = entries.filter((entry) => entry.isFile() && /\.(?:ya?ml|json)$/i.test(entry.name)).map(({ name }) => name)
    for (const name of names.toSorted())
      if (isDocument(await startOf(join(cwd, folder, name)))) found.push(join(folder, name).replaceAll('\\', '/'))
  }
  return found
}

/** The version stands near the start of a document, if only by convention. */
function isDocument(text: string): boolean {
  return (
    /^\uFEFF?\s*(?:#.*\n|---.*\n|\s*\n)*["']?(?:openapi|swagger)["']?\s*:/.test(text) ||
    /^\s*\{[^]*"(?:openapi|swagger)"\s*:\s*"[23]\./.test(text)
  )
}

async function startOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}
