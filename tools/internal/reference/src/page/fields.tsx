import { renderToStaticMarkup } from 'preact-render-to-string'
import type { Content, RefSchema, Resolve } from './contract.js'
import { inlineHtml } from './prose.js'
import { describeBounds } from '../contract/schema.js'

type Props = {
  readonly schema: RefSchema
  readonly resolve: Resolve
  readonly path?: string
  /** The names of the enclosing schemas, to list a recursive schema only once. */
  readonly seen?: readonly string[]
}

/** Further values are in a `<details>`. */
const shownValues = 12
const longestLimit = 60

/** The fields of an object, with those of nested objects. */
export function Fields({ schema, ...rest }: Props) {
  const required = new Set(schema.required)
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
  path = '',
  seen = [],
}: Props & { readonly name: string; readonly required: boolean }) {
  const field = resolve(schema)
  const key = readName(schema) ?? readName(field.items ?? {})
  const deeper = key === undefined ? seen : [...seen, key]
  const below = key !== undefined && seen.includes(key) ? undefined : findObject(schema, resolve)
  const options = (field.anyOf ?? field.oneOf ?? []).map((option) => ({
    option,
    inside: findObject(option, resolve),
  }))
  return (
    <li>
      <p class="field">
        <code class="field-name">
          {path}
          <b>{name}</b>
        </code>{' '}
        <span class="type">{describeType(schema, resolve)}</span>
        {required && <span class="required">required</span>}
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
      {field.description !== undefined && (
        <p dangerouslySetInnerHTML={inlineHtml(field.description)} />
      )}
      {field.enum !== undefined && <Choices values={field.enum} />}
      {below !== undefined && (
        <Fields
          schema={below}
          resolve={resolve}
          path={`${path}${name}${field.items === undefined ? '' : '[]'}.`}
          seen={deeper}
        />
      )}
      {options.map(
        ({ option, inside }) =>
          inside !== undefined && (
            <div class="option">
              <p>
                Either <b>{readName(option) ?? 'an object'}</b>:
              </p>
              <Fields schema={inside} resolve={resolve} path={`${path}${name}.`} seen={deeper} />
            </div>
          ),
      )}
    </li>
  )
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

/** The last part of a `$ref`. */
function readName(schema: RefSchema): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

/** Describes the type of a schema in a few words: `string`, `list of LedgerEntry`, `number or null`. */
function describeType(schema: RefSchema, resolve: Resolve): string {
  const describe = (one: RefSchema) => describeType(one, resolve)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const resolved = resolve(schema)
  if (resolved.format === 'binary') return 'bytes'
  const options = resolved.anyOf ?? resolved.oneOf
  if (resolved.type === undefined && options !== undefined)
    return [...new Set(options.map(describe))].join(' or ')
  if (resolved.type === 'array')
    return `list of ${resolved.items === undefined ? 'anything' : describe(resolved.items)}`
  if (resolved.type === 'object') return readName(schema) ?? 'object'
  if (resolved.type === undefined)
    return resolved.enum === undefined ? (readName(schema) ?? 'anything') : 'one of'
  return [resolved.type].flat().join(' or ')
}

/** Describes the other limits of a value, each in a few words. */
function describeLimits(schema: RefSchema, resolve: Resolve): readonly string[] {
  const resolved = resolve(schema)
  const { pattern, format } = resolved
  return [
    ...(format === undefined || format === 'binary' ? [] : [format]),
    ...describeBounds(resolved),
    ...(pattern === undefined ? [] : [pattern]),
  ]
}

/** The object schema whose fields are listed below a value: the schema itself, or its items. */
function findObject(schema: RefSchema, resolve: Resolve): RefSchema | undefined {
  const resolved = resolve(schema)
  if (resolved.properties !== undefined) return resolved
  return resolved.items === undefined ? undefined : findObject(resolved.items, resolve)
}

type BodyProps = {
  readonly content: Content
  readonly resolve: Resolve
  /** Another response with the same fields. */
  readonly sameAs?: { readonly status: string; readonly href: string } | undefined
}

/** The media type of a body and its fields, or those of each variant. */
export function Body({ content: { schema, mediaType }, resolve, sameAs }: BodyProps) {
  const fields = schema && findObject(schema, resolve)
  const resolved = schema && resolve(schema)
  const variants = fields === undefined ? (resolved?.anyOf ?? resolved?.oneOf ?? []) : []
  return (
    <>
      <p class="media">
        <code>{mediaType}</code>
        {schema !== undefined && <span class="type">{describeType(schema, resolve)}</span>}
      </p>
      {sameAs !== undefined && (
        <p>
          The fields are those of <a href={sameAs.href}>{sameAs.status}</a>.
        </p>
      )}
      {sameAs === undefined && fields !== undefined && (
        <Fields schema={fields} resolve={resolve} seen={[readName(schema ?? {}) ?? '']} />
      )}
      {sameAs === undefined &&
        variants.map((variant) => {
          const inside = findObject(variant, resolve)
          return (
            <details class="variant">
              <summary>{readName(variant) ?? describeType(variant, resolve)}</summary>
              {inside !== undefined && (
                <Fields schema={inside} resolve={resolve} seen={[readName(variant) ?? '']} />
              )}
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
