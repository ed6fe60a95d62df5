/** A parsed document of OpenAPI, of which nothing is known. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Node = Record<string, any>

/** Chooses one of some items. */
export type Choose = <T>(items: readonly T[]) => T | undefined

/** Changes a document at a place that `choose` selects. False if it has no such place. */
export type Edit = (document: Node, choose: Choose) => boolean

const methods = ['get', 'put', 'post', 'delete', 'patch']

type Operation = { readonly item: Node; readonly method: string; readonly node: Node }

function listOperations({ paths }: Node): readonly Operation[] {
  return Object.values(paths as Node).flatMap((item: Node) =>
    methods.flatMap((method) => {
      const node = item?.[method] as Node | undefined
      return node?.['responses'] === undefined ? [] : [{ item, method, node }]
    }),
  )
}

/** Query parameters that are written at their operation, with a schema of their own. */
function listParameters(
  document: Node,
  fits: (parameter: Node, schema: Node) => boolean,
): readonly Node[] {
  return listOperations(document).flatMap(({ node }) => {
    const all = (node['parameters'] ?? []) as readonly Node[]
    return all.filter(
      (one) =>
        one['in'] === 'query' &&
        one['schema'] !== undefined &&
        one['schema'].$ref === undefined &&
        fits(one, one['schema'] as Node),
    )
  })
}

/** Changes a query parameter that fits. */
const atParameter =
  (
    fits: (parameter: Node, schema: Node) => boolean,
    change: (parameter: Node, schema: Node) => void,
  ): Edit =>
  (document, choose) => {
    const parameter = choose(listParameters(document, fits))
    if (parameter === undefined) return false
    change(parameter, parameter['schema'] as Node)
    return true
  }

const atOperation =
  (change: (operation: Operation, document: Node) => boolean): Edit =>
  (document, choose) => {
    const operation = choose(listOperations(document))
    return operation !== undefined && change(operation, document)
  }

const addParameter = (required: boolean): Edit =>
  atOperation(({ node }) => {
    const added = { name: 'x-added-here', in: 'query', required, schema: { type: 'string' } }
    node['parameters'] = [...(node['parameters'] ?? []), added]
    return true
  })

const isPlainString = (_: Node, schema: Node) =>
  schema['type'] === 'string' &&
  ['enum', 'format', 'maxLength', 'minLength', 'pattern'].every((key) => schema[key] === undefined)
const hasValues = (_: Node, { type, enum: values }: Node) =>
  type === 'string' && Array.isArray(values) && new Set(values).size > 1
const acceptAny = () => true

/** The contents of responses as JSON. */
const atJson =
  (change: (content: Node) => void): Edit =>
  (document, choose) => {
    const contents = listOperations(document).flatMap(({ node }) =>
      Object.values(node['responses'] as Node).flatMap((response: Node) => {
        const content = response?.['content'] as Node | undefined
        return content?.['application/json']?.schema === undefined ? [] : [content]
      }),
    )
    const found = choose(contents)
    if (found === undefined) return false
    change(found)
    return true
  }

/** Every request that was accepted still is, and no response is new. */
export const harmless: Readonly<Record<string, Edit>> = {
  'an optional parameter': addParameter(false),
  'a new operation': (document) => {
    document['paths']['/added-here'] = {
      get: { operationId: 'addedHere', responses: { 204: { description: 'Nothing.' } } },
    }
    return true
  },
  'another description': atOperation(({ node }) => {
    node['description'] = 'In other words.'
    return true
  }),
  'minLength: 0': atParameter(isPlainString, (_, schema) => void (schema['minLength'] = 0)),
  'the default style': atParameter(
    ({ style, explode, content }) =>
      style === undefined && explode === undefined && content === undefined,
    (parameter) => Object.assign(parameter, { style: 'form', explode: true }),
  ),
  'allOf of one schema': atParameter(acceptAny, (parameter, schema) => {
    parameter['schema'] = { allOf: [schema] }
  }),
  'values in another order': atParameter(hasValues, (_, schema) => schema['enum'].reverse()),
  'one more value': atParameter(hasValues, (_, schema) => schema['enum'].push('added-here')),
  'a parameter that is optional now': atParameter(
    ({ required }) => required === true,
    (parameter) => void (parameter['required'] = false),
  ),
  'charset beside JSON': atJson((content) => {
    content['application/json; charset=utf-8'] = content['application/json']
    delete content['application/json']
  }),
  'a schema behind a reference': (document, choose) =>
    atJson((content) => {
      const schemas = ((document['components'] ??= {}).schemas ??= {})
      schemas.AddedHere = content['application/json'].schema
      content['application/json'].schema = { $ref: '#/components/schemas/AddedHere' }
    })(document, choose),
}

/** A request that was accepted is rejected, or a response is new that no reader expects. */
export const breaking: Readonly<Record<string, Edit>> = {
  'a required parameter': addParameter(true),
  'a parameter that is required now': atParameter(
    ({ required }) => required !== true,
    (parameter) => void (parameter['required'] = true),
  ),
  'an operation is gone': atOperation(({ item, method }) => delete item[method]),
  'one value less': atParameter(hasValues, (_, schema) => schema['enum'].pop()),
  'maxLength: 3': atParameter(isPlainString, (_, schema) => void (schema['maxLength'] = 3)),
  'numbers in place of strings': atParameter(
    isPlainString,
    (_, schema) => void (schema['type'] = 'integer'),
  ),
  'XML in place of JSON': atJson((content) => {
    content['application/xml'] = content['application/json']
    delete content['application/json']
  }),
  'a key where none was needed': atOperation(({ node }, document) => {
    if (node['security'] !== undefined || document['security'] !== undefined) return false
    const schemes = ((document['components'] ??= {}).securitySchemes ??= {})
    schemes.addedHere = { type: 'apiKey', in: 'header', name: 'X-Added-Here' }
    node['security'] = [{ addedHere: [] }]
    return true
  }),
}
