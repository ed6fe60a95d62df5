import { code, namespace, sourceFile, type Code } from '../emit/code.js'
import { formatModes, type Emitter, type FormatMode } from '../emit/emitter.js'
import { docComment, describeOrigin } from '../emit/literal.js'
import { createLookup } from '../emit/schemas.js'
import type { Api } from '../ir/api.js'
import { pascalCase, uniqueNames } from '../ir/names.js'
import { compile, printFunctionBody } from './check/expression.js'
import { printOperationChecks } from './check/operations.js'
import { createHelpers, rules, printValidator, type CheckContext } from './check/target.js'

export type CheckOptions = {
  /** Whether validators check formats (`assert`) or ignore them (`annotate`). Default: `assert`. */
  readonly formats?: FormatMode
}

/** Compiled validators without a library: `isPet`, `checkPet` and `validatePet` of each schema. */
export function checkWith({ formats = 'assert' }: CheckOptions = {}): Emitter {
  return {
    name: 'check',
    needs: ['types'],
    into: 'packages/types/src/check/generated',
    optional: true,
    runtime: [
      'check/rules.ts',
      'check/unevaluated.ts',
      '../src/formats/host-names.ts',
      '../src/formats/format-tests.ts',
    ],
    runtimeByNeed: true,
    options: { formats: formatModes },
    configure: (options) => checkWith(options),
    emit: (api) => [
      sourceFile('schemas.ts', printSchemaFunctions(api, formats === 'annotate')),
      sourceFile(
        'operations.ts',
        printOperationChecks(api, formats === 'annotate', nameSchemas(api)),
      ),
      sourceFile('index.ts', [
        code`export * from './schemas.js'
export type { Check, Checked, Faults, Issue, Validate } from './rules.js'`,
      ]),
    ],
  }
}

/** The output in this repository. */
export const check: Emitter = checkWith()

const types = namespace('types', '#types', { typeOnly: true })

/** The part of the names of a schema's functions. */
function nameSchemas(api: Api): (name: string) => string {
  const unique = uniqueNames()
  const titles = new Map(api.schemas.map(({ name }) => [name, unique(pascalCase(name))]))
  return (name) => titles.get(name) ?? name
}

function printSchemaFunctions(api: Api, annotate: boolean): readonly Code[] {
  const title = nameSchemas(api)
  const names = api.schemas
    .map(({ name }) => title(name))
    .flatMap((one) => [`is${one}`, `check${one}`, `validate${one}`])
  const context: CheckContext = {
    annotate,
    helpers: createHelpers(names),
    named: (name) => code`validate${title(name)}`,
    lookup: createLookup(api),
    compile,
  }
  const functions = api.schemas.map(({ name, schema, origin }) => {
    const type = code`${types}.${name}`
    const own = title(name)
    const comment = docComment([schema.notes.description, describeOrigin(api, origin)])
    return code`${comment}export function is${own}(value: unknown): value is ${type} {
  return validate${own}(value)
}

/** Checks a \`${name}\`, and says what is wrong with another value. */
export const check${own}: ${rules}.Check<${type}> = /* @__PURE__ */ ${rules}.createCheck(validate${own})

export ${printValidator(`validate${own}`, printFunctionBody(schema, context, name))}`
  })
  return functions.length === 0
    ? [code`export {}`]
    : [...functions, ...context.helpers.declarations()]
}
