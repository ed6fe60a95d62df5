import { show } from '../diagnostics.js'
import { type JsonObject, readOwn, pointerTo } from '../document/json.js'
import type { Server, ServerVariable } from './api.js'
import { isAbsolute } from './server-url.js'
import {
  type Context,
  type LocatedNode,
  readObject,
  readEntries,
  readItems,
  formatScalar,
  readNonEmpty,
} from './build-context.js'
import { omitUndefined } from './schema.js'

/** The servers of the document. Without any, it is about the host where it was found. */
export function buildDocumentServers(context: Context): readonly Server[] {
  const { root, url } = context.document
  const servers = buildServers(context, { node: root, pointer: '' })
  return servers.length > 0 || url === undefined
    ? servers
    : Object.freeze([Object.freeze({ url: new URL('/', url).href, variables: {} })])
}

/** The servers of a document, a path or an operation. */
export function buildServers(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): readonly Server[] {
  return Object.freeze(
    readItems(context, node, 'servers', pointer).flatMap((value, index): Server[] => {
      const server = readObject(context, {
        node: value,
        pointer: pointerTo(pointer, 'servers', index),
      })
      const url = server && readNonEmpty(readOwn(server.node, 'url'))
      if (server === undefined || url === undefined) return []
      const variables = readVariables(context, server)
      const missing = findMissingVariable(url, variables)
      if (missing !== undefined) {
        context.report(
          'FB4033',
          server.pointer,
          `{${missing}} in ${show(url)}`,
          `variables.${missing} with a default`,
        )
        return []
      }
      return [
        Object.freeze({
          url: resolveUrl(url, variables, context.document.url),
          variables,
          ...omitUndefined({
            name: readNonEmpty(readOwn(server.node, 'name')),
            description: readNonEmpty(readOwn(server.node, 'description')),
          }),
        }),
      ]
    }),
  )
}

/** The first variable of a URL that has no default. */
function findMissingVariable(url: string, variables: Server['variables']): string | undefined {
  const names = [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  return names.find((name) => !Object.hasOwn(variables, name))
}

/** Leaves out a variable without a default, which the specification requires. */
function readVariables(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): Server['variables'] {
  const variables = readEntries(context, node, 'variables', pointer).flatMap(
    ([name, variable]): [string, ServerVariable][] => {
      if (readOwn(variable, 'default') === undefined) return []
      const choices = readOwn(variable, 'enum')
      const values = Array.isArray(choices) ? choices.map(formatScalar) : []
      const [standard, description] = [
        formatScalar(readOwn(variable, 'default')),
        readNonEmpty(readOwn(variable, 'description')),
      ]
      return [
        [
          name,
          Object.freeze({
            default: standard,
            values: Object.freeze(values),
            ...omitUndefined({ description }),
          }),
        ],
      ]
    },
  )
  return Object.freeze(Object.fromEntries(variables))
}

/**
 * A relative URL is relative to the location of the document, whatever its `$self` (OpenAPI 3.2,
 * section 4.6.1).
 */
function resolveUrl(url: string, variables: Server['variables'], base: string | undefined): string {
  if (base === undefined || isAbsolute({ url, variables }) || !URL.canParse(url, base)) return url
  return new URL(url, base).href.replaceAll(/%7B/gi, '{').replaceAll(/%7D/gi, '}')
}
