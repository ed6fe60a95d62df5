import { renderToStaticMarkup } from 'preact-render-to-string'
import { readSchemaName, toList } from '../contract/read.js'
import type { Content, RefSchema, Resolve } from './contract.js'
import { inlineHtml } from './prose.js'
import { describeBounds } from '../contract/schema.js'

/** The address of the page of a component schema. */
export type SchemaHref = (name: string) => string | undefined

type Props = {
  readonly schema: RefSchema
  readonly resolve: Resolve
  /** Where component schemas have pages: fields link to them and do not list what is in them. */
  readonly schemaHref?: SchemaHref | undefined
  readonly path?: string
  /** The names of the enclosing schemas, to list a recursive schema only once. */
  readonly seen?: readonly string[]
}

/** Further values are in a `<details>`. */
const shownValues = 12
const longestLimit = 60
/** Deeper fields without a name of their own are not listed. */
const maxDepth = 8

/** The fields of an object, with those of nested objects. */
export function Fields({ schema, ...rest }: Props) {
  const required = new Set(toList(schema.required))
  return (
    <ul class="fields">
      {Object.entries(schema.properties ?? {}).map(([name, field]) => (
        <FieldItem key={name} name={name} schema={field} required={required.has(name)} {...rest} />
      ))}
    </ul>
  )
}

function FieldItem({
  name,
  schema,
  required,
  resolve,
  schemaHref,
  path = '',
  seen = [],
}: Props & { readonly name: string; readonly required: boolean }) {
  const field = resolve(schema)
  const key = readSchemaName(schema) ?? readSchemaName(field.items ?? {})
  const deeper = [...seen, key ?? '']
  const hides = (one: RefSchema) => {
    const ofItems = readSchemaName(one) ?? readSchemaName(resolve(one).items ?? {})
    return ofItems !== undefined && (seen.includes(ofItems) || schemaHref?.(ofItems) !== undefined)
  }
  const listed = seen.length < maxDepth
  const below = hides(schema) || !listed ? undefined : findObject(schema, resolve)
  const options = listOptions(field).map((option) => ({
    option,
    inside: hides(option) || !listed ? undefined : findObject(option, resolve),
  }))
  const all = { resolve, schemaHref, seen: deeper }
  return (
    <li>
      <p class="field">
        <code class="field-name">
          {path}
          <b>{name}</b>
        </code>{' '}
        <Type schema={schema} resolve={resolve} schemaHref={schemaHref} />
        {required && <span class="required">required</span>}
        {field.deprecated === true && <span class="provisional">deprecated</span>}
        {field.default !== undefined && (
          <span class="note">
            default <code>{JSON.stringify(field.default)}</code>
          </span>
        )}
        {describeLimits(schema, resolve).map((limit) => (
          <span class="note">
            {limit.length > longestLimit ? `${limit.slice(0, longestLimit)}…` : limit}
          </span>
        ))}
        {field['x-provisional'] !== undefined && field['x-provisional'] !== false && (
          <span class="provisional">provisional</span>
        )}
      </p>
      {typeof field.description === 'string' && (
        <p dangerouslySetInnerHTML={inlineHtml(field.description)} />
      )}
      {Array.isArray(field.enum) && <Choices values={field.enum} />}
      {below !== undefined && (
        <Fields
          schema={below}
          path={`${path}${name}${field.items === undefined ? '' : '[]'}.`}
          {...all}
        />
      )}
      {options.map(
        ({ option, inside }) =>
          inside !== undefined && (
            <div class="option">
              <p>
                Either <b>{readSchemaName(option) ?? 'an object'}</b>:
              </p>
              <Fields schema={inside} path={`${path}${name}.`} {...all} />
            </div>
          ),
      )}
    </li>
  )
}

/** The type of a schema, with links to the schemas that have pages. */
function Type({ schema, resolve, schemaHref }: Props) {
  const names = schemaHref === undefined ? [] : listNames(schema, resolve)
  const links = names.flatMap((name) => {
    const href = schemaHref?.(name)
    return href === undefined ? [] : [{ name, href }]
  })
  const [only] = links
  const text = describeType(schema, resolve, schemaHref !== undefined)
  if (only !== undefined && links.length === 1 && text.endsWith(only.name))
    return (
      <span class="type">
        {text.slice(0, -only.name.length)}
        <a href={only.href}>{only.name}</a>
      </span>
    )
  return (
    <>
      <span class="type">{text}</span>
      {links.map(({ name, href }) => (
        <a class="type" href={href}>
          {name}
        </a>
      ))}
    </>
  )
}

/** The component schemas that a schema consists of: itself, its items or its options. */
function listNames(schema: RefSchema, resolve: Resolve): readonly string[] {
  const name = readSchemaName(schema)
  if (name !== undefined) return [name]
  const { items, additionalProperties } = resolve(schema)
  const members = [
    ...listOptions(schema),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  const found = members.flatMap((member) => {
    const own = readSchemaName(member)
    return own === undefined ? listOptions(member).flatMap((one) => readSchemaName(one) ?? []) : own
  })
  return [...new Set(found)].slice(0, shownValues)
}

/** The options of a union. */
function listOptions({ anyOf, oneOf }: RefSchema): readonly RefSchema[] {
  return toList(anyOf ?? oneOf) as readonly RefSchema[]
}

function Choices({ values }: { readonly values: readonly unknown[] }) {
  const codes = (some: readonly unknown[]) =>
    some.map((value) => <code>{JSON.stringify(value)}</code>)
  return (
    <p class="values">
      {codes(values.slice(0, shownValues))}
      {values.length > shownValues && (
        <details>
          <summary>{values.length - shownValues} more</summary>
          {codes(values.slice(shownValues))}
        </details>
      )}
    </p>
  )
}

/** How many options of a union are named. */
const namedOptions = 8

/**
 * Describes the type of a schema in a few words: `string`, `list of LedgerEntry`, `number or null`.
 * With `named`, a component schema is described by its name, whatever its type.
 */
function describeType(schema: RefSchema, resolve: Resolve, named = false, depth = 0): string {
  if (acceptsNothing(schema)) return 'nothing'
  const name = readSchemaName(schema)
  if (name !== undefined && named) return name
  const describe = (one: RefSchema) =>
    depth > 3 ? 'anything' : describeType(one, resolve, named, depth + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const resolved = resolve(schema)
  const orNull = resolved.nullable === true ? ' or null' : ''
  if (resolved.format === 'binary') return 'bytes'
  const options = listOptions(resolved)
  if (resolved.type === undefined && options.length > 0) {
    const names = [...new Set(options.map(describe))]
    const more = names.length > namedOptions ? [`${names.length - namedOptions} more`] : []
    return `${[...names.slice(0, namedOptions), ...more].join(' or ')}${orNull}`
  }
  if (resolved.type === 'array') return `list of ${describeItems(resolved, describe)}${orNull}`
  const [part] = toList(resolved.allOf) as readonly RefSchema[]
  if (resolved.type === undefined && part !== undefined && resolved.allOf?.length === 1)
    return `${describe(part)}${orNull}`
  if (resolved.type === 'object' || resolved.properties !== undefined || part !== undefined)
    return `${name ?? describeObject(resolved, describe)}${orNull}`
  if (resolved.type === undefined)
    return resolved.enum === undefined ? (name ?? 'anything') : `one of${orNull}`
  return [resolved.type].flat().join(' or ') + orNull
}

/** Describes the items of a list: `string, integer, then anything`. */
function describeItems(
  { prefixItems, items }: RefSchema,
  describe: (schema: RefSchema) => string,
): string {
  const first = (toList(prefixItems) as readonly RefSchema[]).map(describe)
  const others = items === undefined ? 'anything' : describe(items)
  if (first.length === 0) return others
  const isClosed = items !== undefined && acceptsNothing(items)
  return [...first, ...(isClosed ? [] : [`then ${others}`])].join(', ')
}

/** A schema may also be `false`. */
function acceptsNothing(schema: RefSchema): boolean {
  return (schema as unknown) === false
}

function describeObject(
  { properties, additionalProperties: values }: RefSchema,
  describe: (schema: RefSchema) => string,
): string {
  return properties === undefined && typeof values === 'object' && values !== null
    ? `map of ${describe(values)}`
    : 'object'
}

/** Describes the other limits of a value, each in a few words. */
function describeLimits(schema: RefSchema, resolve: Resolve): readonly string[] {
  const resolved = resolve(schema)
  const { pattern, format, contentEncoding, contentMediaType } = resolved
  return [
    ...[format === 'binary' ? undefined : format, contentEncoding, contentMediaType].flatMap(
      (one) => one ?? [],
    ),
    ...describeBounds(resolved),
    ...(pattern === undefined ? [] : [pattern]),
  ]
}

/**
 * The object schema whose fields are listed below a value: the schema itself with those of its
 * `allOf`, or its items.
 */
function findObject(schema: RefSchema, resolve: Resolve, depth = 0): RefSchema | undefined {
  const resolved = resolve(schema)
  const parts = depth > maxDepth ? [] : (toList(resolved.allOf) as readonly RefSchema[])
  const objects = parts.flatMap((part) => findObject(part, resolve, depth + 1) ?? [])
  const all = resolved.properties === undefined ? objects : [...objects, resolved]
  if (all.length > 0)
    return {
      ...resolved,
      properties: Object.assign({}, ...all.map(({ properties }) => properties)) as NonNullable<
        RefSchema['properties']
      >,
      required: [...objects, resolved].flatMap(({ required }) => toList(required) as string[]),
    }
  return resolved.items === undefined || depth > maxDepth
    ? undefined
    : findObject(resolved.items, resolve, depth + 1)
}

type BodyProps = {
  readonly content: Content
  readonly resolve: Resolve
  readonly schemaHref?: SchemaHref | undefined
  /** Another response with the same fields. */
  readonly sameAs?: { readonly status: string; readonly href: string } | undefined
}

/** The media type of a body and its fields, or those of each variant. */
export function Body({ content: { schema, mediaType }, resolve, schemaHref, sameAs }: BodyProps) {
  return (
    <>
      <p class="media">
        <code>{mediaType}</code>
        {schema !== undefined && <Type schema={schema} resolve={resolve} schemaHref={schemaHref} />}
      </p>
      {sameAs !== undefined && (
        <p>
          The fields are those of <a href={sameAs.href}>{sameAs.status}</a>.
        </p>
      )}
      {sameAs === undefined && schema !== undefined && (
        <SchemaFields schema={schema} resolve={resolve} schemaHref={schemaHref} />
      )}
    </>
  )
}

/** A schema on a page of its own. */
export function SchemaView({ schema, resolve, schemaHref }: Props) {
  return (
    <>
      <p class="media">
        <Type schema={schema} resolve={resolve} schemaHref={schemaHref} />
        {describeLimits(schema, resolve).map((limit) => (
          <span class="note">{limit}</span>
        ))}
      </p>
      <SchemaFields schema={schema} resolve={resolve} schemaHref={schemaHref} />
    </>
  )
}

/** The fields of a schema, or those of each of its variants. */
function SchemaFields({ schema, resolve, schemaHref }: Props) {
  const inside = findObject(schema, resolve)
  const resolved = resolve(schema)
  const name = readSchemaName(schema) ?? readSchemaName(resolved.items ?? {}) ?? ''
  const all = { resolve, schemaHref }
  if (inside !== undefined) return <Fields schema={inside} seen={[name]} {...all} />
  return (
    <>
      {Array.isArray(resolved.enum) && <Choices values={resolved.enum} />}
      {listOptions(resolved).map((variant) => {
        const object = findObject(variant, resolve)
        const own = readSchemaName(variant)
        return (
          <details class="variant">
            <summary>{own ?? describeType(variant, resolve)}</summary>
            {object !== undefined && <Fields schema={object} seen={[name, own ?? '']} {...all} />}
          </details>
        )
      })}
    </>
  )
}

/** Renders the fields of an object as HTML, for the pages of the site. */
export function fieldsHtml(schema: RefSchema, resolve: Resolve): string {
  return renderToStaticMarkup(<Fields schema={schema} resolve={resolve} />)
}

/** Renders a body as HTML, without its examples. `sameAs` is a response with the same fields. */
export function bodyHtml(
  content: Content,
  resolve: Resolve,
  sameAs?: { readonly status: string; readonly href: string },
): string {
  return renderToStaticMarkup(<Body content={content} resolve={resolve} sameAs={sameAs} />)
}
