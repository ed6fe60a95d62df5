import { renderToStaticMarkup } from 'preact-render-to-string'
import { Body } from './body.js'
import type { Content, RefSchema, Resolve } from './contract.js'
import { Fields } from './fields.js'

/** The fields of an object as HTML, for a page that other tools make. */
export function fieldsHtml(schema: RefSchema, resolve: Resolve): string {
  return renderToStaticMarkup(<Fields schema={schema} resolve={resolve} />)
}

/** A body as HTML: all but its examples. `sameAs` is where the same fields stand already. */
export function bodyHtml(
  content: Content,
  resolve: Resolve,
  sameAs?: { readonly status: string; readonly href: string },
): string {
  return renderToStaticMarkup(<Body content={content} resolve={resolve} sameAs={sameAs} />)
}
