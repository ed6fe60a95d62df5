import {
  code,
  definePlugin,
  docComment,
  join,
  literal,
  propertyKey,
  sourceFile,
  symbol,
  typeText,
} from '@farebox/codegen/kit'
import type { Code, Operation, Parameter, TypeContext } from '@farebox/codegen/kit'

/** For each GET, a function from typed path parameters to the path. */
export default definePlugin({
  name: 'links',
  emit: (api) => {
    const reads = api.operations.filter(({ method }) => method === 'get')
    return [sourceFile('index.ts', reads.map(link))]
  },
})

// a named schema is imported from the output `types`
const context: TypeContext = {
  named: (name) => symbol(name, '#types', { typeOnly: true }),
  binary: code`Blob`,
}

function link({ id, path, summary, parameters }: Operation): Code {
  const places = parameters.filter((parameter) => parameter.in === 'path')
  const fields = places.map(
    ({ field, schema }) => code`readonly ${propertyKey(field)}: ${typeText(schema, context)}`,
  )
  const input = fields.length === 0 ? code`` : code`input: { ${join(fields, '; ')} }`
  const parts = path
    .split(/[{}]/)
    .map((part, index) => (index % 2 === 0 ? literal(part) : place(part, places)))
  return code`${docComment([summary])}export const ${id} = (${input}): string => ${join(
    parts.filter(({ text }) => text !== "''"),
    ' + ',
  )}`
}

function place(name: string, places: readonly Parameter[]): Code {
  const field = places.find((parameter) => parameter.name === name)?.field ?? name
  return code`encodeURIComponent(String(input[${literal(field)}]))`
}
