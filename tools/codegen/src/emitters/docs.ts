import type { DocsInput, DocsOperation } from '../../prepared/generated/render-docs.js'
import type { DocumentEmitter } from '../emit/emitter.js'
import { sentMethod, type Api, type Operation, type Server } from '../ir/api.js'
import { fillVariables } from '../ir/server-url.js'
import type { Json } from '../ir/schema.js'

/**
 * A static reference of the document: an index, and a page with a console for each operation. Its
 * components are those of the reference of Farebox, prepared as one module that needs no package.
 */
export const docs: DocumentEmitter = {
  name: 'docs',
  into: 'packages/docs/src/generated',
  optional: true,
  readsDocument: true,
  emit: () => [],
  emitText: async (api, { root }) => {
    // loaded late: most runs write no reference
    const { renderDocs } = await import('../../prepared/generated/render-docs.js')
    return renderDocs(describeApi(api, root))
  },
}

function describeApi(api: Api, document: Json): DocsInput {
  const { title, version, description, securitySchemes, operations } = api
  return {
    title,
    version,
    description,
    document: document as DocsInput['document'],
    schemes: securitySchemes,
    operations: operations.map((operation) => describeOperation(api, operation)),
  }
}

function describeOperation(api: Api, operation: Operation): DocsOperation {
  const { id, method, path, tags, summary, deprecated, idempotent, security, payment } = operation
  const servers = operation.servers.length > 0 ? operation.servers : api.servers
  return {
    id,
    method: sentMethod(method),
    path,
    tags,
    summary,
    deprecated,
    idempotent,
    security,
    servers: listUrls(servers),
    ...(payment?.maxUsd !== undefined && { priceUsd: payment.maxUsd }),
  }
}

/** Addresses that start with `/` are on the host of the reference. */
function listUrls(servers: readonly Server[]): readonly string[] {
  return [...new Set(servers.map(fillVariables))].filter((url) => /^(?:https?:\/\/|\/)/i.test(url))
}
