import { hasErrors } from '../src/diagnostics.js'
import type { Diagnostic } from '../src/diagnostics.js'
import { loadDocument } from '../src/document/load.js'
import { buildApi } from '../src/ir/build.js'
import type { Json } from '../src/ir/schema.js'
import { withFiles, withSchemas } from './documents.js'
import { addId } from './public-suite.js'
import { runZod } from './run-zod.js'
import type { Api } from '../src/ir/api.js'

/**
 * The result for a schema: the code of the first diagnostic, or its validator's verdict on a value.
 */
export type Outcome =
  | { readonly rejected: string }
  | { readonly accepts: (value: unknown) => boolean }

/**
 * The validators of many schemas, generated from one OpenAPI 3.1 document in which each is a
 * component with an `$id` of its own, so that `#` means the schema. One that is rejected is taken
 * out, and the rest is generated without it.
 */
export async function judgeSchemas(
  schemas: readonly Json[],
  run: (api: Api) => (name: string) => ((value: unknown) => boolean) | undefined = createZodRunner,
): Promise<readonly Outcome[]> {
  const rejected = new Map<number, string>()
  for (;;) {
    const kept = schemas.map((schema, index): [string, Json] => [
      `Case${index}`,
      addId(schema, index),
    ])
    const document = withSchemas(
      Object.fromEntries(kept.filter((_, index) => !rejected.has(index))),
    )
    const { api, faults } = await buildSchemas(JSON.stringify(document))
    if (api !== undefined) {
      const validators = run(api)
      return schemas.map((_, index): Outcome => {
        const code = rejected.get(index)
        return code === undefined
          ? { accepts: (value) => validators(`Case${index}`)?.(value) ?? false }
          : { rejected: code }
      })
    }
    const before = rejected.size
    for (const { code, place } of faults) {
      const [, index] = /\/components\/schemas\/Case(\d+)/.exec(place.pointer) ?? []
      if (index !== undefined) rejected.set(Number(index), code)
    }
    if (rejected.size === before)
      throw new Error(faults.map(({ code, found }) => `${code} ${found}`).join('\n'))
  }
}

function createZodRunner(api: Api): (name: string) => (value: unknown) => boolean {
  const validators = runZod(api).schemas
  return (name) => (value) => validators[name]?.safeParse(value).success ?? false
}

async function buildSchemas(text: string): Promise<{
  readonly api?: Api
  readonly faults: readonly Diagnostic[]
}> {
  return withFiles({ 'openapi.json': text }, async (cwd) => {
    const { document, diagnostics } = await loadDocument('openapi.json', {
      cwd,
      semantics: 'json-schema',
    })
    if (document === undefined || hasErrors(diagnostics))
      return { faults: diagnostics.filter(({ severity }) => severity === 'error') }
    const result = buildApi(document)
    return {
      ...(result.api && { api: result.api }),
      faults: result.diagnostics.filter(({ severity }) => severity === 'error'),
    }
  })
}
