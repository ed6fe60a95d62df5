import { renderToStaticMarkup } from 'preact-render-to-string'
import { readSchemaName, toList, toObject } from '../contract/read.js'
import type { Content, RefSchema, Resolve } from './contract.js'
import { describeLimits, describeType, listOptions, listSchemas } from './describe-schema.js'
import { inlineHtml } from './prose.js'

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
  const deeper = [...seen, readSchemaName(findElement(schema, resolve).schema) ?? '']
  const hides = (one: RefSchema) => {
    const name = readSchemaName(one) ?? readSchemaName(findElement(one, resolve).schema)
    return name !== undefined && (seen.includes(name) || schemaHref?.(name) !== undefined)
  }
  const listed = seen.length < maxDepth
  const findInside = (one: RefSchema) =>
    hides(one) || !listed ? undefined : findObject(one, resolve)
  const below = findInside(schema)
  const { suffix } = findElement(schema, resolve)
  const groups = listGroups(schema, resolve).map((group) => ({
    ...group,
    inside: findInside(group.schema),
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
        <Limits schema={schema} resolve={resolve} longest={longestLimit} />
        {field['x-provisional'] !== undefined && field['x-provisional'] !== false && (
          <span class="provisional">provisional</span>
        )}
      </p>
      {typeof field.description === 'string' && (
        <p dangerouslySetInnerHTML={inlineHtml(field.description)} />
      )}
      <Choices values={findChoices(schema, resolve)} />
      {below !== undefined && <Fields schema={below} path={`${path}${name}${suffix}.`} {...all} />}
      {groups.map(
        ({ intro, title, inside }) =>
          inside !== undefined && (
            <div class="option">
              <p>
                {intro} <b>{title}</b>:
              </p>
              <Fields schema={inside} path={`${path}${name}${suffix}.`} {...all} />
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
  const { items, additionalProperties, allOf } = resolve(schema)
  const members = [
    ...listOptions(schema),
    ...listSchemas(allOf),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  const found = members.flatMap((member) => {
    const own = readSchemaName(member)
    return own === undefined ? listOptions(member).flatMap((one) => readSchemaName(one) ?? []) : own
  })
  return [...new Set(found)].slice(0, shownValues)
}

function Limits({ schema, resolve, longest }: Props & { readonly longest: number }) {
  return (
    <>
      {describeLimits(schema, resolve).map((limit) => (
        <span class="note">{limit.length > longest ? `${limit.slice(0, longest)}…` : limit}</span>
      ))}
    </>
  )
}

function Choices({ values }: { readonly values: readonly unknown[] }) {
  if (values.length === 0) return null
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

/** What a list or a map consists of, with the suffix of its path. Other schemas stay as they are. */
function findElement(
  schema: RefSchema,
  resolve: Resolve,
  depth = 0,
): { readonly schema: RefSchema; readonly suffix: string } {
  const { items, properties, additionalProperties: values } = resolve(schema)
  const value = properties === undefined && typeof values === 'object' ? values : undefined
  const inside = items ?? value
  if (typeof inside !== 'object' || depth > maxDepth) return { schema, suffix: '' }
  const found = findElement(inside, resolve, depth + 1)
  return { ...found, suffix: `${items === undefined ? '.*' : '[]'}${found.suffix}` }
}

type Group = { readonly intro?: string; readonly title: string; readonly schema: RefSchema }

/** What a value has besides its own fields: the options of a union, and fields by their pattern. */
function listGroups(schema: RefSchema, resolve: Resolve): readonly Group[] {
  const element = resolve(findElement(schema, resolve).schema)
  const { properties, patternProperties, additionalProperties } = element
  const patterns = Object.entries(toObject(patternProperties))
  const hasOwn = properties !== undefined || patterns.length > 0
  return [
    ...listOptions(element).map((option) => ({
      intro: 'Either',
      title: readSchemaName(option) ?? 'an object',
      schema: option,
    })),
    ...patterns.map(([pattern, value]) => ({
      intro: 'Fields like',
      title: pattern,
      schema: value as RefSchema,
    })),
    ...(hasOwn && typeof additionalProperties === 'object'
      ? [{ title: 'Other fields', schema: additionalProperties }]
      : []),
  ]
}

/** The values that a field, or each item of a list, is one of. */
function findChoices(schema: RefSchema, resolve: Resolve): readonly unknown[] {
  const found = resolve(findElement(schema, resolve).schema)
  const parts = [found, ...listSchemas(found.allOf).map(resolve)]
  return parts.flatMap((part) => toList(part.enum))
}

/**
 * The object schema whose fields are listed below a value: the schema itself with those of its
 * `allOf`, or what a list or a map consists of.
 */
function findObject(schema: RefSchema, resolve: Resolve, depth = 0): RefSchema | undefined {
  const resolved = resolve(schema)
  const parts = depth > maxDepth ? [] : listSchemas(resolved.allOf)
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
  const element = findElement(schema, resolve).schema
  return element === schema || depth > maxDepth
    ? undefined
    : findObject(element, resolve, depth + 1)
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
        {schema !== undefined && (
          <>
            <Type schema={schema} resolve={resolve} schemaHref={schemaHref} />
            <Limits schema={schema} resolve={resolve} longest={Infinity} />
          </>
        )}
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
        <Limits schema={schema} resolve={resolve} longest={Infinity} />
      </p>
      <SchemaFields schema={schema} resolve={resolve} schemaHref={schemaHref} />
    </>
  )
}

/** The fields of a schema, and those of each of its variants. */
function SchemaFields({ schema, resolve, schemaHref }: Props) {
  const inside = findObject(schema, resolve)
  const name = readSchemaName(findElement(schema, resolve).schema) ?? ''
  const all = { resolve, schemaHref }
  return (
    <>
      {inside !== undefined && <Fields schema={inside} seen={[name]} {...all} />}
      <Choices values={findChoices(schema, resolve)} />
      {listGroups(schema, resolve).map(({ intro, title, schema: variant }) => {
        const object = findObject(variant, resolve)
        const own = readSchemaName(variant)
        const type = own ?? describeType(variant, resolve)
        return (
          (object !== undefined || inside === undefined) && (
            <details class="variant">
              <summary>
                {intro === 'Either' ? type : `${[intro, title].join(' ').trim()}: ${type}`}
              </summary>
              {object !== undefined && <Fields schema={object} seen={[name, own ?? '']} {...all} />}
            </details>
          )
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
