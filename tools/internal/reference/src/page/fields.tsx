import type { RefSchema, Resolve } from './contract.js'
import { inlineHtml } from './prose.js'
import { inner, limits, schemaName, typeText } from './schema-text.js'

type Props = {
  readonly schema: RefSchema
  readonly resolve: Resolve
  readonly path?: string
  /** The names of the schemas around this one: one within itself is not listed again. */
  readonly seen?: readonly string[]
}

/** So many values stand in the open. */
const shownValues = 12
const longestLimit = 60

/** The fields of an object, with those of the objects within it. */
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
  const key = schemaName(schema) ?? schemaName(field.items ?? {})
  const deeper = key === undefined ? seen : [...seen, key]
  const below = key !== undefined && seen.includes(key) ? undefined : inner(schema, resolve)
  const options = (field.anyOf ?? field.oneOf ?? []).map((option) => ({
    option,
    inside: inner(option, resolve),
  }))
  return (
    <li>
      <p class="field">
        <code class="field-name">
          {path}
          <b>{name}</b>
        </code>{' '}
        <span class="type">{typeText(schema, resolve)}</span>
        {required && <span class="required">required</span>}
        {field.default !== undefined && (
          <span class="note">
            default <code>{JSON.stringify(field.default)}</code>
          </span>
        )}
        {limits(schema, resolve).map((limit) => (
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
                Either <b>{schemaName(option) ?? 'an object'}</b>:
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
