import { code, join, namespace, sourceFile, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal, originLine, property } from '../emit/literal.js'
import { holdsBinary } from '../emit/walk-schema.js'
import type { Api, NamedSchema } from '../ir/api.js'
import { stringFormats } from '../ir/formats.js'
import { camelCase } from '../ir/names.js'
import { node } from './arbitraries/node.js'
import { operationArbitraries, responseArbitraries } from './arbitraries/operations.js'

/**
 * Fast-check arbitraries of valid values and near misses, for schemas, request parts and responses.
 */
export const arbitraries: Emitter = {
  name: 'arbitraries',
  needs: ['types'],
  into: 'packages/arbitraries/src/generated',
  optional: true,
  suits: ['fast-check'],
  runtime: [
    'arbitraries',
    'candidates',
    'formats',
    'accepts',
    'merge',
    'node',
    'pattern-tree',
    'patterns',
    'scalars',
  ].map((name) => `arbitraries/${name}.ts`),
  runtimeByNeed: true,
  emit: (api) => {
    const operations = operationArbitraries(api)
    const responses = responseArbitraries(api)
    return [
      sourceFile('document.ts', document(api, [...operations, ...responses])),
      sourceFile('index.ts', [
        code`export type { Arbitraries } from './arbitraries.js'`,
        ...api.schemas.map((schema) => declaration(api, schema)),
      ]),
      sourceFile('operations.ts', operations),
      sourceFile('responses.ts', responses),
    ]
  },
}

/** All schemas as data, as one may refer to any other. */
function document({ schemas }: Api, operations: readonly Code[]): readonly Code[] {
  const type = symbol('Node', './node.js', { typeOnly: true })
  const entries = schemas.map(({ name, schema }) => code`  ${property(name, node(schema))},`)
  return [
    code`const nodes: Readonly<Record<string, ${type}>> = {\n${join(entries, '\n')}\n}`,
    formatTable([...entries, ...operations]),
    code`/** Arbitraries of a node that may name any schema of the document. */
export const arbitraries: <T>(node: ${type}) => ${symbol('Arbitraries', './arbitraries.js', { typeOnly: true })}<T> = /* @__PURE__ */ ${symbol('arbitrariesOf', './arbitraries.js')}({
  node: (name) => nodes[name] ?? { kind: 'never' },
  format: (name) => known.get(name),
})`,
  ]
}

function declaration(api: Api, { name, schema, origin }: NamedSchema): Code {
  const types = namespace('$types', '#types', { typeOnly: true })
  // a dollar distinguishes these names from those of schemas
  const type = holdsBinary(api, schema) ? code`unknown` : code`${types}.${name}`
  const comment = docComment([schema.notes.description, originLine(api, origin)])
  const make = symbol('arbitraries', './document.js', { as: '$arbitraries' })
  const arbitrariesType = symbol('Arbitraries', './arbitraries.js', {
    typeOnly: true,
    as: '$Arbitraries',
  })
  return code`${comment}export const ${name}: ${arbitrariesType}<${type}> = /* @__PURE__ */ ${make}<${type}>({ kind: 'ref', name: ${literal(name)} })`
}

/** The rules of the formats that the printed nodes name, under their names. */
function formatTable(nodes: readonly Code[]): Code {
  const text = nodes.map((node) => node.text).join('\n')
  const formats = namespace('formats', './formats.js')
  const used = [...stringFormats.keys()].filter((name) =>
    text.includes(`format: ${literal(name).text}`),
  )
  const entries = used.map((name) => code`  [${literal(name)}, ${formats}.${camelCase(name)}],`)
  const type = symbol('Format', './formats.js', { typeOnly: true })
  return code`const known: ReadonlyMap<string | undefined, ${type}> = new Map([${entries.length === 0 ? '' : '\n'}${join(entries, '\n')}${entries.length === 0 ? '' : '\n'}])`
}
