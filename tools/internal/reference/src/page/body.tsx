import type { Content, Resolve } from './contract.js'
import { Fields } from './fields.js'
import { inner, schemaName, typeText } from './schema-text.js'

type Props = {
  readonly content: Content
  readonly resolve: Resolve
  /** Where the same fields stand already. */
  readonly sameAs?: { readonly status: string; readonly href: string } | undefined
}

/** The media type of a body, and its fields: those of each variant where there are several. */
export function Body({ content: { schema, mediaType }, resolve, sameAs }: Props) {
  const fields = schema && inner(schema, resolve)
  const resolved = schema && resolve(schema)
  const variants = fields === undefined ? (resolved?.anyOf ?? resolved?.oneOf ?? []) : []
  return (
    <>
      <p class="media">
        <code>{mediaType}</code>
        {schema !== undefined && <span class="type">{typeText(schema, resolve)}</span>}
      </p>
      {sameAs !== undefined && (
        <p>
          The fields are those of <a href={sameAs.href}>{sameAs.status}</a>.
        </p>
      )}
      {sameAs === undefined && fields !== undefined && (
        <Fields schema={fields} resolve={resolve} seen={[schemaName(schema ?? {}) ?? '']} />
      )}
      {sameAs === undefined &&
        variants.map((variant) => {
          const inside = inner(variant, resolve)
          return (
            <details class="variant">
              <summary>{schemaName(variant) ?? typeText(variant, resolve)}</summary>
              {inside !== undefined && (
                <Fields schema={inside} resolve={resolve} seen={[schemaName(variant) ?? '']} />
              )}
            </details>
          )
        })}
    </>
  )
}
