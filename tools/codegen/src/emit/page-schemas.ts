import { contentKind } from './content.js'
import { listProperties, resolveNonNull, resolveRef } from './schemas.js'
import type { Api, Operation, Parameter } from '../ir/api.js'
import type { Schema } from '../ir/schema.js'

/** The pagination of an operation. */
export type Pagination = {
  readonly facts: PageFacts
  /** The parameters that change from page to page. */
  readonly parameters: readonly Parameter[]
  /** How it was found, for a comment. */
  readonly rule: string
}

/** As the runtime reads them (`PageRule` in `runtime/pages/pages.ts`). */
type PageFacts =
  | {
      readonly by: 'cursor' | 'last'
      readonly field: string
      readonly path: readonly string[]
      readonly more?: readonly string[]
    }
  | {
      readonly by: 'offset' | 'page'
      readonly field: string
      readonly path: readonly string[]
      readonly start: number
    }
  | { readonly by: 'link'; readonly fields: Readonly<Record<string, string>> }

/** Whether an operation can have pages: it reads, and is no stream. */
export function isPaged(api: Api, { method, responses }: Operation): boolean {
  return (
    ['get', 'query'].includes(method) &&
    !responses.some(({ contents }) =>
      contents.some((content) => contentKind(content, api) === 'stream'),
    )
  )
}

/** The schemas of successful responses. */
export function listPages(operation: Operation): readonly Schema[] {
  return listSuccesses(operation).flatMap(({ contents }) => contents.map(({ schema }) => schema))
}

export function listSuccesses({ responses }: Operation): Operation['responses'] {
  return responses.filter(({ status }) => String(status).startsWith('2'))
}

/** Whether a page has a field. */
export function hasPageField(api: Api, operation: Operation, path: readonly string[]): boolean {
  return listPages(operation).some((schema) => findField(api, schema, path) !== undefined)
}

/** Whether a page is an array. */
export function isListPage(api: Api, operation: Operation): boolean {
  return listPages(operation).some((schema) => resolveRef(api, schema).kind === 'array')
}

export function listPageFields(api: Api, operation: Operation): readonly string[] {
  return [
    ...new Set(
      listPages(operation).flatMap((schema) =>
        listProperties(api, schema, true).map(({ name }) => name),
      ),
    ),
  ]
}

/** The path of the only list of a page, or of an object in it; empty if the page is the list. */
export function findList(api: Api, operation: Operation): readonly string[] | undefined {
  const [page] = listPages(operation)
  if (page === undefined) return undefined
  if (resolveRef(api, page).kind === 'array') return []
  const paths = listProperties(api, page, true).flatMap(({ name, schema }) => {
    const { kind } = resolveNonNull(api, schema)
    if (kind === 'array') return [[name]]
    if (kind !== 'object') return []
    return listProperties(api, schema, true).flatMap((inner) =>
      resolveNonNull(api, inner.schema).kind === 'array' ? [[name, inner.name]] : [],
    )
  })
  const direct = paths.filter(({ length }) => length === 1)
  const found = direct.length > 0 ? direct : paths
  return found.length === 1 ? found[0] : undefined
}

function findField(api: Api, schema: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (found, name) =>
      found &&
      listProperties(api, resolveRef(api, found), true).find((property) => property.name === name)
        ?.schema,
    schema,
  )
}
