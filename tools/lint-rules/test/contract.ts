import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNode } from '../src/rule.js'
import { redocly } from './lint.js'

const spec = fileURLToPath(new URL('../../../spec', import.meta.url))

/** The value at a place of the contract, `$ref`s on the way followed; undefined where there is none. */
export type At = (...path: readonly (string | number)[]) => unknown

/** The text of a file below spec/. */
export function text(path: string): Promise<string> {
  return readFile(join(spec, path), 'utf8')
}

/** Bundles the contract with the real Redocly. */
export async function contract(): Promise<At> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  try {
    const file = join(folder, 'bundle.json')
    await redocly(['bundle', join(spec, 'openapi.yaml'), '--output', file])
    const document: unknown = JSON.parse(await readFile(file, 'utf8'))
    return (...path) => walk(document, document, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function walk(document: unknown, from: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, key) => follow(document, (node as Record<string, unknown> | undefined)?.[key]), from)
}

/** What stands beside a `$ref` is kept, as OpenAPI 3.1 has it for schemas. */
function follow(document: unknown, node: unknown): unknown {
  if (!isNode(node) || typeof node['$ref'] !== 'string') return node
  const { $ref, ...beside } = node
  const path = $ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~'))
  return { ...(walk(document, document, path) as object), ...beside }
}
