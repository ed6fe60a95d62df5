import { block, code, join, namespace, type Code } from '../../emit/code.js'
import { literal, propertyKey } from '../../emit/literal.js'
import {
  readConversion,
  hasBigints,
  holdsConverted,
  type ConvertedKind,
} from '../../emit/values/converted.js'
import type { Api } from '../../ir/api.js'
import { uniqueNames } from '../../ir/names.js'
import type { Of, Schema } from '../../ir/schema.js'

/** The parts of the runtime that convert values. */
export type ValueModules = Readonly<Record<'revive' | 'date' | 'temporal' | 'bigint', Code>>

/** `local` returns a name that is unique in the file. */
export function createValueModules(local: (name: string) => string): ValueModules {
  return {
    revive: namespace(local('values'), './revive.js'),
    date: namespace(local('dateValues'), './date-values.js'),
    temporal: namespace(local('temporalValues'), './temporal-values.js'),
    bigint: namespace(local('bigintValues'), './bigint-values.js'),
  }
}

/** The function that creates a value of this kind. */
export function printConverter(
  as: ConvertedKind,
  { date, temporal, bigint }: ValueModules,
  use: 'read' | 'revive',
): Code {
  if (as === 'bigint') return code`${bigint}.${use === 'read' ? 'readInt64' : 'int64'}`
  if (as === 'Date') return code`${date}.${use === 'read' ? 'readDate' : 'date'}`
  const name = as === 'Instant' ? 'instant' : 'plainDate'
  return code`${temporal}.${use === 'read' ? `read${as}` : name}`
}

/** For each schema with such values what puts them into a parsed value of it. */
export function printRevivers(api: Api): readonly Code[] {
  const values = createValueModules(uniqueNames(api.schemas.map(({ name }) => name)))
  const type = code`${values.revive}.Revive`
  return api.schemas.flatMap(({ name, schema }) => {
    const revive = printReviver(api, schema, values, (target) => code`${target}`)
    return revive === undefined ? [] : [code`export const ${name}: ${type} = ${revive}`]
  })
}

/** Code that converts parsed JSON. Undefined if nothing needs conversion. */
export function printJsonReviver(
  api: Api,
  schema: Schema,
  values: ValueModules,
  named: (name: string) => Code,
): Code | undefined {
  const revive = printReviver(api, schema, values, named)
  return hasBigints(api)
    ? code`/* @__PURE__ */ ${values.bigint}.convertWholeNumbers(${revive})`
    : revive
}

/** Code that converts a value of a schema. Undefined if nothing needs conversion. */
function printReviver(
  api: Api,
  schema: Schema,
  values: ValueModules,
  named: (name: string) => Code,
): Code | undefined {
  const call = (name: string, ...args: readonly (Code | undefined)[]): Code =>
    code`/* @__PURE__ */ ${values.revive}.${name}(${join(
      args.filter((one) => one !== undefined),
      ', ',
    )})`
  const inner = (part: Schema): Code | undefined => {
    if (!holdsConverted(api, part)) return undefined
    const as = readConversion(part)
    if (as !== undefined) return printConverter(as, values, 'revive')
    if (part.kind === 'ref')
      return part.cyclic ? call('deferReviver', code`() => ${named(part.name)}`) : named(part.name)
    if (part.kind === 'array') return printListReviver(part)
    if (part.kind === 'object') return printObjectReviver(part)
    if (part.kind === 'oneOf' && part.discriminator !== undefined)
      return printTaggedReviver(part, part.discriminator)
    if (part.kind === 'union' || part.kind === 'oneOf') return printEvery(part.options)
    return part.kind === 'intersection' ? printEvery(part.parts) : undefined
  }
  const printEvery = (parts: readonly Schema[]): Code | undefined => {
    const found = parts.map(inner).filter((one) => one !== undefined)
    return found.length < 2 ? found[0] : call('reviveAll', ...found)
  }
  const printListReviver = ({ prefix, items }: Of<'array'>): Code => {
    const heads =
      prefix.length === 0
        ? undefined
        : code`[${join(
            prefix.map((part) => inner(part) ?? code`undefined`),
            ', ',
          )}]`
    return call('reviveItems', inner(items) ?? code`undefined`, heads)
  }
  const printObjectReviver = ({ properties, additional }: Of<'object'>): Code => {
    const rest = inner(additional)
    const found = properties.flatMap(({ name, schema: property }) => {
      const revive = inner(property)
      return revive === undefined ? [] : [code`  ${propertyKey(name)}: ${revive},`]
    })
    const fields = found.length === 0 ? code`{}` : code`{\n${join(found, '\n')}\n}`
    return call('reviveFields', fields, rest, rest && literal(properties.map(({ name }) => name)))
  }
  const printTaggedReviver = (
    { options }: Of<'oneOf'>,
    { property, tags }: NonNullable<Of<'oneOf'>['discriminator']>,
  ): Code => {
    const entries = options.flatMap((option, index) => {
      const revive = inner(option)
      return revive === undefined
        ? []
        : (tags[index] ?? []).map((tag) => code`${propertyKey(tag)}: ${revive}`)
    })
    return call('reviveTagged', literal(property), block(entries, '{}'))
  }
  return inner(schema)
}
