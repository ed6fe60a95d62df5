import { readFileSync, readdirSync } from 'node:fs'
import { extname } from 'node:path'

/** Files that `pnpm generate` makes from the contract, beside `src` and beside `dist`. */
const folder = new URL('../../../prepared/generated/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

export type ReferenceFile = { readonly body: string; readonly contentType: string }
export type ReferenceNames = { readonly origin: string; readonly serviceName: string }

/**
 * The files of the reference by their path: its page at `/`, with the address and the name of this
 * service, and what the page loads below `/reference/`. A file is read when it is first asked for.
 */
export function referenceFiles(names: ReferenceNames): ReadonlyMap<string, () => ReferenceFile> {
  const files = readdirSync(folder).map((name) => {
    const read = once(() => readFileSync(new URL(name, folder), 'utf8'))
    const contentType = types[extname(name)] ?? 'application/octet-stream'
    if (name === 'index.html') return ['/', once(() => ({ body: named(read(), names), contentType }))] as const
    return [`/reference/${name}`, () => ({ body: read(), contentType })] as const
  })
  return new Map(files)
}

function named(page: string, { origin, serviceName }: ReferenceNames): string {
  return page.replaceAll('{{origin}}', () => escapeHtml(origin)).replaceAll('{{serviceName}}', () => escapeHtml(serviceName))
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** Escapes text for HTML and its attributes. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
