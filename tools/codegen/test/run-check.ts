import { readFileSync } from 'node:fs'
import { renderFile } from '../src/emit/code.js'
import { flattenImports } from '../src/emit/needed-runtime.js'
import { checkWith, type CheckOptions } from '../src/emitters/check.js'
import type { Api } from '../src/ir/api.js'
import { runModule } from './run-module.js'

export type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly issues: readonly {
        readonly path: readonly PropertyKey[]
        readonly message: string
        readonly keyword: string
      }[]
    }

/** What the check output exports, such as `isPet` and `checkPet`, run as in a user's program. */
export function runCheck(
  api: Api,
  options: CheckOptions = {},
): Readonly<Record<string, (value: unknown) => unknown>> {
  const [schemas] = checkWith(options).emit(api)
  if (schemas === undefined) throw new Error('There is no file.')
  const text = renderFile(schemas, { banner: '', resolve: (module) => module })
  return runModule(text, loadRuntime()) as Readonly<Record<string, (value: unknown) => unknown>>
}

let loaded: Map<string, unknown> | undefined

function loadRuntime(): ReadonlyMap<string, unknown> {
  if (loaded !== undefined) return loaded
  loaded = new Map()
  const files = [
    '../src/formats/host-names.ts',
    '../src/formats/format-tests.ts',
    'check/rules.ts',
    'check/unevaluated.ts',
  ]
  for (const file of files) {
    const text = flattenImports(
      readFileSync(new URL(`../runtime/${file}`, import.meta.url), 'utf8'),
    )
    loaded.set(`./${file.slice(file.lastIndexOf('/') + 1, -3)}.js`, runModule(text, loaded))
  }
  return loaded
}
