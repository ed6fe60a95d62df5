import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isNode } from '../src/rule.js'
import { runRedocly } from './lint.js'

const spec = fileURLToPath(new URL('../../../spec', import.meta.url))

/**
 * The value at a place of the contract, `$ref`s on the way followed; undefined where there is none.
 */
export type At = (...path: readonly (string | number)[]) => unknown

/** The text of a file below spec/. */
export function readSpecFile(path: string): Promise<string> {
  return readFile(join(spec, path), 'utf8')
}

/** The contract as one document, bundled by the real Redocly. */
export async function bundle(): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  try {
    const file = join(folder, 'bundle.json')
    await runRedocly(['bundle', join(spec, 'openapi.yaml'), '--output', file])
    return JSON.parse(await readFile(file, 'utf8')) as object
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A way to ask the bundled contract. */
export async function openContract(): Promise<At> {
  const document = await bundle()
  return (...path) => walk(document, document, path)
}

/** Validates values by the named schemas of the contract, with ajv. */
export async function createValidator(): Promise<(schema: string, value: unknown) => boolean> {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(await bundle(), 'contract')
  return (schema, value) => ajv.validate({ $ref: `contract#/components/schemas/${schema}` }, value)
}

/** Every file below spec/examples, as a path below spec/. */
export async function listExampleFiles(): Promise<readonly string[]> {
  const entries = await readdir(join(spec, 'examples'), { recursive: true })
  return entries
    .filter((entry) => entry.endsWith('.yaml'))
    .map((entry) => `examples/${entry.split(sep).join('/')}`)
}

/** The texts of all files in a folder of spec/, one behind the other. */
export async function readSpecFolder(folder: string): Promise<string> {
  const names = await readdir(join(spec, folder))
  return (await Promise.all(names.map((name) => readSpecFile(`${folder}/${name}`)))).join('\n')
}

function walk(document: unknown, from: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => follow(document, (node as Record<string, unknown> | undefined)?.[key]),
    from,
  )
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
