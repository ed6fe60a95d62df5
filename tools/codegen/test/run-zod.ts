import { readFileSync } from 'node:fs'
import type * as z from 'zod'
import { renderFile } from '../src/emit/code.js'
import { flattenImports } from '../src/emit/needed-runtime.js'
import { zodWith, type ZodOptions } from '../src/emitters/zod.js'
import type { Api } from '../src/ir/api.js'
import { runModule, type Modules } from './run-module.js'

type Validators = Readonly<Record<string, z.ZodType>>
export type OperationValidators = {
  readonly body?: Validators
  readonly responses: Readonly<Record<string, Validators>>
}
type Output = {
  readonly schemas: Validators
  readonly operations: Readonly<Record<string, OperationValidators>>
}

/**
 * What the zod output exports, run as it would be in a user's program. Of `mini` only what both
 * flavours have is promised.
 */
export function runZod(api: Api, options: ZodOptions = {}): Output {
  const emitter = zodWith(options)
  const files = new Map(
    emitter
      .emit(api)
      .map((file) => [file.path, renderFile(file, { banner: '', resolve: (module) => module })]),
  )
  const modules = new Map(loadRuntimeModules(emitter.runtime ?? []))
  for (const name of ['schemas', 'operations'])
    modules.set(`./${name}.js`, runModule(files.get(`${name}.ts`) ?? '', modules))
  const { validators } = modules.get('./operations.js') as {
    readonly validators: Readonly<Record<string, OperationValidators>>
  }
  return { schemas: modules.get('./schemas.js') as Validators, operations: validators }
}

const loaded = new Map<string, Modules>()

/** The hand-written runtime; each file comes after those that it imports. */
function loadRuntimeModules(names: readonly string[]): Modules {
  const key = names.join()
  const known = loaded.get(key)
  if (known !== undefined) return known
  const modules = new Map<string, unknown>()
  const first = names.filter((name) => name.endsWith('/absent.ts') || name.endsWith('/zod.ts'))
  for (const name of new Set([...first.toSorted(), ...names])) {
    const text = flattenImports(
      readFileSync(new URL(`../runtime/${name}`, import.meta.url), 'utf8'),
    )
    modules.set(`./${name.slice(name.lastIndexOf('/') + 1, -3)}.js`, runModule(text, modules))
  }
  loaded.set(key, modules)
  return modules
}
