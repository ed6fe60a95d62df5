import { code, join, sourceFile, type Code } from '../../emit/code.js'
import type { Emitter } from '../../emit/emitter.js'
import { literal, propertyKey } from '../../emit/literal.js'
import type { NamedSchema } from '../../ir/api.js'
import { printTypeDeclarations, types } from '../types.js'

export const enumModes = ['types', 'constants'] as const

export type TypesOptions = {
  /**
   * `constants` adds to each enum with `x-enum-varnames` or `x-enumNames` a constant of its name,
   * with its values by those names. Default: `types`, and nothing that runs.
   */
  readonly enums?: (typeof enumModes)[number]
}

/** The types, with constants of enums or without. */
export function typesWith({ enums = 'types' }: TypesOptions = {}): Emitter {
  return {
    ...types,
    options: { enums: enumModes },
    configure: (options) => typesWith(options),
    emit: (api) =>
      enums === 'types'
        ? types.emit(api)
        : [
            sourceFile('index.ts', [
              ...printTypeDeclarations(api),
              ...api.schemas.flatMap(printConstant),
            ]),
          ],
  }
}

function printConstant({ name, schema }: NamedSchema): readonly Code[] {
  if (schema.kind !== 'enum' || schema.names === undefined) return []
  const { names, values } = schema
  const entries = names.map(
    (key, index) => code`  ${propertyKey(key)}: ${literal(values[index] ?? null)},`,
  )
  return [
    code`/** The values of \`${name}\` by their names. */\nexport const ${name} = {\n${join(entries, '\n')}\n} as const`,
  ]
}
