import type { Api, Content } from '../ir/api.js'
import { isForm } from './body-shape.js'
import { propertiesOf } from './properties-of.js'
import { resolveRef } from './resolve.js'

/** The fields of a form that are sent as XML and are not strings. The caller writes them. */
export function xmlParts(api: Api, { mediaType, schema, encoding }: Content): readonly string[] {
  if (!isForm(mediaType)) return []
  const named = Object.entries(encoding).flatMap(([name, { contentType = '' }]) =>
    isXml(contentType) ? [name] : [],
  )
  if (named.length === 0) return []
  const others = propertiesOf(api, schema).filter(
    (property) => !isText(resolveRef(api, property.schema).kind),
  )
  return named.filter((name) => others.some((property) => property.name === name))
}

function isXml(contentType: string): boolean {
  return /[/+]xml\b/i.test(contentType)
}

function isText(kind: string): boolean {
  return ['string', 'number', 'boolean', 'enum', 'binary', 'never'].includes(kind)
}
