import { code, join, namespace, type Code } from '../../emit/code.js'
import { holdsDate } from '../../emit/dates/holds-date.js'
import { literal, propertyKey } from '../../emit/literal.js'
import type { Api } from '../../ir/api.js'
import { uniqueNames } from '../../ir/names.js'
import type { Of, Schema } from '../../ir/schema.js'

/** For each schema with dates what puts them into a parsed value of it. */
export function dates(api: Api): readonly Code[] {
  const values = namespace(uniqueNames(api.schemas.map(({ name }) => name))('values'), './date-values.js')
  const type = code`${values}.Revive`
  return api.schemas.flatMap(({ name, schema }) => {
    const revive = reviver(api, schema, values, (target) => code`${target}`)
    return revive === undefined ? [] : [code`export const ${name}: ${type} = ${revive}`]
  })
}

/** What puts dates into a value of a schema; undefined where none can be. */
export function reviver(api: Api, schema: Schema, values: Code, named: (name: string) => Code): Code | undefined {
  const call = (name: string, ...given: readonly (Code | undefined)[]): Code =>
    code`/* @__PURE__ */ ${values}.${name}(${join(
      given.filter((one) => one !== undefined),
      ', ',
    )})`
  const inner = (part: Schema): Code | undefined => {
    if (!holdsDate(api, part)) return undefined
    if (part.kind === 'string') return code`${values}.date`
    if (part.kind === 'ref') return part.cyclic ? call('late', code`() => ${named(part.name)}`) : named(part.name)
    if (part.kind === 'array') return listReviver(part)
    if (part.kind === 'object') return objectReviver(part)
    if (part.kind === 'oneOf' && part.discriminator !== undefined) return taggedReviver(part, part.discriminator)
    if (part.kind === 'union' || part.kind === 'oneOf') return every(part.options)
    return part.kind === 'intersection' ? every(part.parts) : undefined
  }
  const every = (parts: readonly Schema[]): Code | undefined => {
    const found = parts.map(inner).filter((one) => one !== undefined)
    return found.length < 2 ? found[0] : call('every', ...found)
  }
  const listReviver = ({ prefix, items }: Of<'array'>): Code => {
    const heads =
      prefix.length === 0
        ? undefined
        : code`[${join(
            prefix.map((part) => inner(part) ?? code`undefined`),
            ', ',
          )}]`
    return call('each', inner(items) ?? code`undefined`, heads)
  }
  const objectReviver = ({ properties, additional }: Of<'object'>): Code => {
    const rest = inner(additional)
    const found = properties.flatMap(({ name, schema: property }) => {
      const revive = inner(property)
      return revive === undefined ? [] : [code`  ${propertyKey(name)}: ${revive},`]
    })
    const fields = found.length === 0 ? code`{}` : code`{\n${join(found, '\n')}\n}`
    return call('fields', fields, rest, rest && literal(properties.map(({ name }) => name)))
  }
  const taggedReviver = ({ options }: Of<'oneOf'>, { property, tags }: NonNullable<Of<'oneOf'>['discriminator']>): Code => {
    const entries = options.flatMap((option, index) => {
      const revive = inner(option)
      return revive === undefined ? [] : (tags[index] ?? []).map((tag) => code`  ${propertyKey(tag)}: ${revive},`)
    })
    return call('tagged', literal(property), code`{\n${join(entries, '\n')}\n}`)
  }
  return inner(schema)
}
