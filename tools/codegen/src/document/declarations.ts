import { commentOf } from './declare-comment.js'
import { operationPrinter } from './declare-operations.js'
import { schemaPrinter } from './declare-schema.js'
import { shorthands } from './declare-shorthand.js'
import { block, key } from './declare-text.js'
import { isObject, own } from './json.js'
import type { Json } from './json.js'
import type { Document } from './load.js'

/**
 * `paths`, `webhooks`, `components` and `operations` as types, in the shape that openapi-typescript
 * has given them and that openapi-fetch reads. Printed straight from the document: that library
 * would bring the TypeScript compiler, build a syntax tree of everything and print it, for more
 * than the rest of a run together. `declarations.test.ts` holds the two against each other.
 */
export function declarationsOf(document: Pick<Document, 'root' | 'version'>): readonly string[] {
  const names = shorthands()
  const schemas = schemaPrinter(document, names)
  const printer = operationPrinter(schemas, names)
  const section = (node: Json | undefined, print: (item: Json, pad: string) => string, pad: string): readonly string[] =>
    isObject(node) ? Object.entries(node).map(([name, item]) => `${commentOf(item, pad)}${pad}${key(name)}: ${print(item, pad)}`) : []

  const items = (name: 'paths' | 'webhooks'): string => {
    const node = own(document.root, name)
    const members = isObject(node)
      ? Object.entries(node)
          .filter(([, item]) => isObject(item))
          .map(([path, item]) => `  ${key(path)}: ${printer.pathItem(item, '  ')}`)
      : []
    return declaration(name, members)
  }
  const paths = items('paths')
  const webhooks = items('webhooks')
  const components = own(document.root, 'components')
  const sections: readonly (readonly [string, (item: Json, pad: string) => string])[] = [
    ['schemas', (item, pad) => schemas.type(item, pad).text],
    ['responses', printer.response],
    ['parameters', printer.parameter],
    ['requestBodies', printer.requestBody],
    ['headers', printer.header],
    ['pathItems', printer.pathItem],
  ]
  const parts = sections.map(([name, print]) => {
    const members = section(own(components, name), print, '    ')
    return `  ${name}: ${members.length === 0 ? 'never' : block(members, '  ')}`
  })
  return [
    paths,
    webhooks,
    declaration('components', isObject(components) ? parts : []),
    'export type $defs = Record<string, never>',
    ...(schemas.usesRequired() ? ['type WithRequired<T, K extends keyof T> = T & { [P in K]-?: T[P] }'] : []),
    declaration('operations', printer.operations()),
    ...names.declarations(),
  ]
}

function declaration(name: string, members: readonly string[]): string {
  return members.length === 0 ? `export type ${name} = Record<string, never>` : `export interface ${name} ${block(members, '')}`
}
