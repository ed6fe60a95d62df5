import ts from 'typescript'
import * as z from 'zod'
import * as checks from '../runtime/zod/checks.js'
import * as formats from '../runtime/zod/formats.js'
import * as unevaluated from '../runtime/zod/unevaluated.js'
import { renderFile } from '../src/emit/render.js'
import { zod } from '../src/emitters/zod.js'
import type { Api } from '../src/ir/api.js'

type Validators = Readonly<Record<string, z.ZodType>>
export type OperationValidators = { readonly body?: Validators; readonly responses: Readonly<Record<string, Validators>> }

/** What the zod output exports, run as it would be in a user's program. */
export function runZod(api: Api): { readonly schemas: Validators; readonly operations: Readonly<Record<string, OperationValidators>> } {
  const files = new Map(zod.emit(api).map((file) => [file.path, renderFile(file, { banner: '', resolve: (module) => module })]))
  const modules: Record<string, unknown> = {
    zod: z,
    './checks.js': checks,
    './formats.js': formats,
    './unevaluated.js': unevaluated,
  }
  for (const name of ['schemas', 'operations']) modules[`./${name}.js`] = run(files.get(`${name}.ts`) ?? '', modules)
  const { validators } = modules['./operations.js'] as { readonly validators: Readonly<Record<string, OperationValidators>> }
  return { schemas: modules['./schemas.js'] as Validators, operations: validators }
}

function run(text: string, modules: Readonly<Record<string, unknown>>): unknown {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 }
  const { outputText } = ts.transpileModule(text, { compilerOptions })
  const exports = {}
  // oxlint-disable-next-line no-implied-eval, no-new-func
  new Function('exports', 'require', outputText)(exports, (name: string) => modules[name])
  return exports
}
