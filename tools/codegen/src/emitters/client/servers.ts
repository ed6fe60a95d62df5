import { code, join, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import type { Api, Server } from '../../ir/api.js'
import { usableServers } from '../../ir/server-url.js'

/** The type of the servers, and the function that returns the URL of one. */
export function servers(api: Api): readonly Code[] {
  const known = usableServers(api)
  const varies = known.some(({ variables }) => Object.keys(variables).length > 0)
  const facts = known.map(({ url, name, variables }) => {
    const defaults = Object.fromEntries(
      Object.entries(variables).map(([variable, { default: value }]) => [variable, value]),
    )
    return literal({
      url,
      ...(name !== undefined && { name }),
      ...(Object.keys(defaults).length > 0 && { variables: defaults }),
    })
  })
  return [
    code`/** A server of the document, by its name or else its URL, with other values of its variables. */
export type Server =
${join(
  known.map((server) => serverMember(server, varies)),
  '\n',
)}`,
    code`const servers: readonly ${symbol('ServerFacts', './server-url.js', { typeOnly: true })}[] = [
${join(
  facts.map((one) => code`  ${one},`),
  '\n',
)}
]`,
    code`/** The URL of a server. Default: the first, with the defaults of its variables. */
export function serverUrl(server?: Server): string {
  return ${symbol('urlOf', './server-url.js')}(servers, server)
}`,
  ]
}

/** `varies`: another one may have variables, which this one then has not. */
function serverMember(server: Server, varies: boolean): Code {
  const { name, url, description, variables } = server
  const fields = Object.entries(variables).map(
    ([variable, { values, default: standard, description: says }]) =>
      code`${docComment([says, `Default: \`${standard}\`.`], '      ')}      readonly ${propertyKey(variable)}?: ${values.length === 0 ? 'string' : join(values.map(literal), ' | ')}`,
  )
  const choices = code`{
${join(fields, '\n')}
    }`
  const variable =
    varies && code`\n    readonly variables?: ${fields.length === 0 ? 'never' : choices}`
  const key = name === undefined ? code`url: ${literal(url)}` : code`name: ${literal(name)}`
  return code`  | {
${docComment([description], '    ')}    readonly ${key}${variable}
  }`
}
