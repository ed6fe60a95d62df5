import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { convertValues, findMisread } from '../src/pipeline/generate.js'
import { formatDiagnostic } from '../src/diagnostics.js'
import type { Diagnostic } from '../src/diagnostics.js'
import { loadDocument } from '../src/document/load.js'
import type { LoadOptions, LoadResult } from '../src/document/load.js'
import { queries } from '../src/emitters/queries.js'
import type { Api } from '../src/ir/api.js'
import { buildApi } from '../src/ir/build.js'
import { findClosedParts } from '../src/validate/find-closed-parts.js'
import { findUnknownFields } from '../src/validate/unknown-fields.js'
import { validateExamples } from '../src/validate/validate-examples.js'
import type { Schema } from '../src/ir/schema.js'

type Files = Readonly<Record<string, string | Uint8Array>>

/** Runs a test on files in a folder of its own, which is removed afterwards. */
export async function withFiles<T>(files: Files, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-codegen-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Loads `openapi.yaml` of some files. Asks each diagnostic for its place while the files exist. */
export async function load(
  files: Files,
  options: LoadOptions = {},
  entry = 'openapi.yaml',
): Promise<LoadResult> {
  return withFiles(files, async (folder) => loadDocument(entry, { cwd: folder, ...options }))
}

/** All that is said of some files: by loading, and by building where loading went well. */
export async function diagnose(
  files: Files,
  entry = 'openapi.yaml',
): Promise<readonly Diagnostic[]> {
  const { document, diagnostics } = await load(files, {}, entry)
  if (document === undefined) return diagnostics
  const built = buildApi(document)
  const ofApi =
    built.api === undefined
      ? []
      : [
          ...findMisread(built.api, [queries]),
          ...convertValues(built.api, { dates: 'date', int64: 'number' }).diagnostics,
          ...validateExamples(built.api),
          ...findClosedParts(built.api),
        ]
  return [...diagnostics, ...built.diagnostics, ...findUnknownFields(document), ...ofApi]
}

/**
 * Builds a document that is given as a value, and throws with the diagnostics where it cannot be
 * built.
 */
export async function build(document: unknown, options: LoadOptions = {}): Promise<Api> {
  const loaded = await load({ 'openapi.json': JSON.stringify(document) }, options, 'openapi.json')
  const built = loaded.document && buildApi(loaded.document)
  if (built?.api === undefined)
    throw new Error(
      [...loaded.diagnostics, ...(built?.diagnostics ?? [])].map(formatDiagnostic).join('\n'),
    )
  return built.api
}

/** A document with these components, and nothing else of interest. */
export function withSchemas(
  schemas: Readonly<Record<string, unknown>>,
  version = '3.1.0',
): unknown {
  return {
    openapi: version,
    info: { title: 'Test', version: '1' },
    paths: {},
    components: { schemas },
  }
}

/** A document with one operation. */
export function withOperation(
  operation: Readonly<Record<string, unknown>>,
  path = '/things',
  rest: Readonly<Record<string, unknown>> = {},
): unknown {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { [path]: { post: { responses: { 200: { description: 'Done' } }, ...operation } } },
    ...rest,
  }
}

/** A node without its notes, so that a test can name the rest in full. */
export function omitNotes(schema: Schema | undefined): unknown {
  return JSON.parse(
    JSON.stringify(schema ?? null, (key, value: unknown) => (key === 'notes' ? undefined : value)),
  )
}
