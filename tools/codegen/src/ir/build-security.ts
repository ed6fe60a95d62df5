import { show } from '../diagnostics.js'
import { isList, isObject, readOwn, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { OAuthFlow, Operation, SecurityScheme } from './api.js'
import { dereference, readObject, readEntries, readItems, readNonEmpty } from './build-context.js'
import type { Context, LocatedNode } from './build-context.js'
import { omitUndefined } from './schema.js'

/** `components.securitySchemes`, in the order of the document. */
export function readSecuritySchemes(context: Context): readonly SecurityScheme[] {
  const components = readOwn(context.document.root, 'components')
  if (!isObject(components)) return []
  return Object.freeze(
    readEntries(context, components, 'securitySchemes', '/components').flatMap(
      ([name, node]): SecurityScheme[] => {
        const pointer = pointerTo('/components/securitySchemes', name)
        const scheme = dereference(context, { node, pointer })
        if (scheme === undefined) return []
        const kind = kinds.find((candidate) => candidate === readOwn(scheme.node, 'type'))
        if (kind !== undefined) return [readScheme(context, name, kind, scheme)]
        const found = `type ${show(readOwn(scheme.node, 'type'))}`
        context.report('FB4012', scheme.pointer, found, kinds.join(', '))
        return []
      },
    ),
  )
}

const kinds = ['http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS'] as const

function readScheme(
  context: Context,
  name: string,
  kind: SecurityScheme['kind'],
  { node, pointer }: LocatedNode<JsonObject>,
): SecurityScheme {
  return Object.freeze({
    name,
    kind,
    deprecated: readOwn(node, 'deprecated') === true,
    ...omitUndefined({
      description: readNonEmpty(readOwn(node, 'description')),
      scheme: readNonEmpty(readOwn(node, 'scheme')),
      in: (['header', 'query', 'cookie'] as const).find((place) => place === readOwn(node, 'in')),
      parameter: readNonEmpty(readOwn(node, 'name')),
      flows: kind === 'oauth2' ? readFlows(context, { node, pointer }) : undefined,
      openIdConnectUrl: readNonEmpty(readOwn(node, 'openIdConnectUrl')),
    }),
  })
}

function readFlows(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): Readonly<Record<string, OAuthFlow>> {
  const flows = readEntries(context, node, 'flows', pointer).map(
    ([name, flow]): [string, OAuthFlow] => {
      const fields = Object.entries(isObject(flow) ? flow : {})
      const urls = fields.filter(
        (entry): entry is [string, string] =>
          entry[0].endsWith('Url') && readNonEmpty(entry[1]) !== undefined,
      )
      const scopes = Object.entries(readOwn(flow, 'scopes') ?? {}).map(
        ([scope, description]): [string, string] => [scope, readNonEmpty(description) ?? ''],
      )
      return [
        name,
        Object.freeze({
          urls: Object.freeze(Object.fromEntries(urls)),
          scopes: Object.freeze(Object.fromEntries(scopes)),
        }),
      ]
    },
  )
  return Object.freeze(Object.fromEntries(flows))
}

/** The operation's own requirement, or else the document's. Without any, every caller meets it. */
export function readSecurity(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
  schemes: readonly SecurityScheme[],
): Pick<Operation, 'security' | 'scopes'> {
  const local = readOwn(node, 'security') !== undefined
  const [owner, at] = local ? [node, pointer] : [context.document.root, '']
  const requirements = readItems(context, owner, 'security', at)
  if (requirements.length === 0) return { security: Object.freeze([Object.freeze([])]) }
  const sets = requirements.map((requirement, index) =>
    readRequirement(context, requirement, pointerTo(at, 'security', index), schemes),
  )
  const security = Object.freeze(sets.map((set) => Object.freeze(Object.keys(set))))
  const hasScopes = sets.some((set) => Object.values(set).some((scopes) => scopes.length > 0))
  return hasScopes ? { security, scopes: Object.freeze(sets) } : { security }
}

/** The scopes by scheme. */
function readRequirement(
  context: Context,
  requirement: Json,
  pointer: string,
  schemes: readonly SecurityScheme[],
): Readonly<Record<string, readonly string[]>> {
  const found = isList(requirement)
    ? undefined
    : readObject(context, { node: requirement, pointer })
  const entries = Object.entries(found?.node ?? {})
  for (const [name] of entries)
    if (!schemes.some((scheme) => scheme.name === name))
      context.report(
        'FB4004',
        pointer,
        show(name),
        schemes.length === 0
          ? 'a scheme; the document has none'
          : schemes.map((scheme) => scheme.name).join(' or '),
      )
  return Object.freeze(
    Object.fromEntries(
      entries.map(([name, scopes]): [string, readonly string[]] => [
        name,
        Object.freeze(isList(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []),
      ]),
    ),
  )
}
