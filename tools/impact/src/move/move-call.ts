import type { Api, Operation } from '@farebox/codegen'
import ts from 'typescript'
import {
  isOfLibrary,
  type Move,
  printObject,
  printProperty,
  readIndent,
  readMemberName,
  readMembers,
  readValue,
  UnmovableError,
} from './moves.js'

type PrintNode = (node: ts.Node) => string

/** The method and the path of a call of openapi-fetch, and its options. */
type PathCall = {
  readonly client: ts.Expression
  readonly method: string
  readonly path: ts.Expression | undefined
  readonly options: ts.Expression | undefined
}

const methods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])

/** Reads `client.GET(path, options)` and `client.request(method, path, options)`. */
export function readPathCall(node: ts.Node, checker: ts.TypeChecker): PathCall | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
    return undefined
  const { name, expression: client } = node.expression
  const isRequest = name.text === 'request'
  if (!isRequest && !methods.has(name.text)) return undefined
  if (!isOfLibrary(checker.getSymbolAtLocation(name), checker)) return undefined
  if (!isRequest) {
    const [path, options] = node.arguments
    return { client, method: name.text, path, options }
  }
  const [method, path, options] = node.arguments
  if (method === undefined || !ts.isStringLiteralLike(method))
    throw new UnmovableError(node, 'its method is not a string literal')
  return { client, method: method.text.toUpperCase(), path, options }
}

/**
 * Writes `client.GET('/pets/{id}', { params: { path: { id } } })` as `client.getPet({ id })`.
 *
 * @throws Unmovable if the call has more than the generated method takes.
 */
export function moveCall(node: ts.Node, call: PathCall, { operations }: Api): Move {
  const { client, method, path } = call
  if (path === undefined || !ts.isStringLiteralLike(path))
    throw new UnmovableError(node, 'its path is not a string literal')
  const operation = operations.find(
    (one) => one.method.toUpperCase() === method && one.path === path.text,
  )
  if (operation === undefined)
    throw new UnmovableError(node, `the document has no operation ${method} ${path.text}`)
  const options = readMembers(call.options, 'its second argument')
  for (const [name, member] of options)
    if (!['params', 'body', 'signal', 'headers'].includes(name))
      throw new UnmovableError(member, `the option ${name} has no counterpart`)
  const parts = [
    ...listParameters(options.get('params'), operation),
    ...listBody(options.get('body'), operation),
  ]
  return {
    node,
    reason: `${method} ${path.text} is ${operation.id}() now`,
    print: (printNode) => {
      const indent = readIndent(node)
      const members = parts.map((print) => print(printNode))
      // what is spread comes first, so that it replaces no field that is written out
      const spreads = members.filter((text) => text.startsWith('...'))
      const fields = members.filter((text) => !text.startsWith('...'))
      const given = ['signal', 'headers'].flatMap((name) => {
        const member = options.get(name)
        const value = member && readValue(member)
        return value === undefined ? [] : [printProperty(name, printNode(value))]
      })
      const [spread = ''] = spreads
      const input =
        fields.length === 0 && spreads.length === 1
          ? spread.slice('...'.length)
          : printObject([...spreads, ...fields], indent)
      const args = [
        ...(members.length > 0 || given.length > 0 ? [input] : []),
        ...(given.length > 0 ? [printObject(given, indent)] : []),
      ]
      return `${printNode(client)}.${operation.id}(${args.join(', ')})`
    },
  }
}

type Part = (printNode: PrintNode) => string

function listParameters(
  member: ts.ObjectLiteralElementLike | undefined,
  operation: Operation,
): readonly Part[] {
  if (member === undefined) return []
  const places = readMembers(requireValue(member), 'params')
  return [...places].flatMap(([place, one]): readonly Part[] => {
    const known = operation.parameters.filter((parameter) => parameter.in === place)
    const value = requireValue(one)
    if (!ts.isObjectLiteralExpression(value)) return [spread(value, known)]
    return value.properties.map((property): Part => {
      if (ts.isSpreadAssignment(property)) return spread(property.expression, known)
      const name = readMemberName(property)
      const parameter = known.find((candidate) =>
        place === 'header'
          ? candidate.name.toLowerCase() === name?.toLowerCase()
          : candidate.name === name,
      )
      if (parameter === undefined)
        throw new UnmovableError(property, `${operation.id} has no ${place} parameter of this name`)
      if (parameter.credential)
        throw new UnmovableError(
          property,
          `${parameter.name} is a credential, which createClient takes in \`credentials\``,
        )
      const inner = requireValue(property)
      return (printNode) => printProperty(parameter.field, printNode(inner))
    })
  })
}

/** An object whose members are not written out is spread, if no field has another name. */
function spread(value: ts.Expression, known: Operation['parameters']): Part {
  const renamed = known.find(({ name, field, credential }) => name !== field || credential)
  if (renamed !== undefined)
    throw new UnmovableError(
      value,
      `its members are not written out, and ${renamed.name} has another name in the input`,
    )
  return (printNode) => `...${printNode(value)}`
}

function listBody(
  member: ts.ObjectLiteralElementLike | undefined,
  operation: Operation,
): readonly Part[] {
  if (member === undefined) return []
  const [content] = operation.body?.contents ?? []
  const value = requireValue(member)
  if (content === undefined) throw new UnmovableError(member, `${operation.id} has no body`)
  if (!/[/+]json\b/i.test(content.mediaType))
    throw new UnmovableError(
      member,
      `the body is ${content.mediaType}, whose fields the generated method takes directly`,
    )
  if (content.flatten === 'body') return [(printNode) => printProperty('body', printNode(value))]
  const nested = new Set(content.nested)
  if (!ts.isObjectLiteralExpression(value)) {
    if (nested.size > 0)
      throw new UnmovableError(
        value,
        `its members are not written out, and ${[...nested].join(', ')} belongs into requestBody`,
      )
    return [(printNode) => `...${printNode(value)}`]
  }
  const inner = value.properties.filter((one) => nested.has(readMemberName(one) ?? ''))
  const outer = value.properties.filter((one) => !inner.includes(one))
  const open = outer.find((one) => readMemberName(one) === undefined)
  if (nested.size > 0 && open !== undefined)
    throw new UnmovableError(
      open,
      `it may have ${[...nested].join(', ')}, which belongs into requestBody`,
    )
  const fields = outer.map(
    (one): Part =>
      (printNode) =>
        printNode(one),
  )
  if (inner.length === 0) return fields
  return [...fields, (printNode) => `requestBody: ${printObject(inner.map(printNode), '')}`]
}

function requireValue(member: ts.ObjectLiteralElementLike): ts.Expression {
  const value = readValue(member)
  if (value === undefined) throw new UnmovableError(member, 'it is a method or an accessor')
  return value
}
