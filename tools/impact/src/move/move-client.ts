import ts from 'typescript'
import {
  isOfLibrary,
  type ManualMove,
  type Move,
  printObject,
  printProperty,
  readIndent,
  readMembers,
  readValue,
  UnmovableError,
} from './moves.js'
import type { Names } from './names.js'

type PrintNode = (node: ts.Node) => string

/** The fields of fetch's init that openapi-fetch passes on. */
const initFields = new Set([
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
])

/** Whether a call creates a client of openapi-fetch. */
export function isCreation(node: ts.Node, checker: ts.TypeChecker): node is ts.CallExpression {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false
  const symbol = checker.getSymbolAtLocation(node.expression)
  if (!isOfLibrary(symbol, checker)) return false
  const target =
    symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
      ? checker.getAliasedSymbol(symbol)
      : symbol
  return target?.name === 'createClient' || target?.name === 'default'
}

/**
 * Writes `createClient<paths>({ baseUrl, headers })` as the creation of the generated client.
 * `around` are the middleware that the client uses, the outermost first.
 *
 * @throws Unmovable if the options are not written out.
 */
export function moveCreation(
  node: ts.CallExpression,
  around: readonly ((printNode: PrintNode) => string)[],
  names: Names,
  checker: ts.TypeChecker,
): { readonly move: Move; readonly left: readonly ManualMove[] } {
  if (ts.isVariableDeclaration(node.parent) && !ts.isIdentifier(node.parent.name))
    throw new UnmovableError(
      node.parent.name,
      'its methods are destructured; write `const client = createClient(…)` and `client.GET(…)` first',
    )
  const options = readMembers(node.arguments[0], 'its argument')
  const findOption = (name: string): ts.Expression | undefined => {
    const member = options.get(name)
    if (member === undefined) return undefined
    const value = readValue(member)
    if (value === undefined) throw new UnmovableError(member, `${name} is a method`)
    return value
  }
  const left = [...options]
    .filter(([name]) => !['baseUrl', 'fetch', 'headers'].includes(name) && !initFields.has(name))
    .map(([name, member]) => ({ node: member, reason: describeOption(name) }))
  const init = [...initFields].flatMap((name) => {
    const value = findOption(name)
    return value === undefined ? [] : ([[name, value]] as const)
  })
  const [baseUrl, fetch, headers] = [
    findOption('baseUrl'),
    findOption('fetch'),
    findOption('headers'),
  ]
  const takesRequest = fetch !== undefined && !isFetch(fetch, checker)
  const usesSend = around.length > 0 || headers !== undefined
  const print = (printNode: PrintNode): string => {
    const indent = readIndent(node)
    const own = fetch && printNode(fetch)
    const inner = fetch && !ts.isIdentifier(fetch) ? `(${own})` : own
    const fields = init.map(([name, value]) => printProperty(name, printNode(value))).join(', ')
    const given = fields === '' ? 'init' : `{ ...init, ${fields} }`
    const wrapped = takesRequest
      ? `(url, init) => ${inner}(new Request(url, ${given}))`
      : fields === ''
        ? own
        : `(url, init) => ${inner ?? 'fetch'}(url, ${given})`
    const chain = () =>
      around.reduceRight(
        (text, middleware) => `${middleware(printNode)}(${text})`,
        `${names.use('fetchSend')}(${wrapped ?? ''})`,
      )
    // openapi-fetch sets these headers before its middleware, and a header of a call replaces them
    const send = () =>
      headers
        ? `(call) => {
${indent}    new Headers(${printNode(headers)}).forEach((value, name) => {
${indent}      if (!call.headers.has(name)) call.headers.set(name, value)
${indent}    })
${indent}    return ${chain()}(call)
${indent}  }`
        : chain()
    const members = [
      // without a base URL, openapi-fetch calls the origin of the page
      printProperty('baseUrl', baseUrl ? printNode(baseUrl) : "''"),
      ...(usesSend
        ? [printProperty('send', send())]
        : wrapped === undefined
          ? []
          : [printProperty('fetch', wrapped)]),
    ]
    return `${names.use('createClient')}(${printObject(members, indent)})`
  }
  return { move: { node, reason: 'creates the generated client now', print }, left }
}

function describeOption(name: string): string {
  if (name.endsWith('Serializer'))
    return `${name} is left out: the generated client writes what the document says`
  return `the option ${name} is left out: it has no counterpart`
}

/** Whether a function can be called like the global fetch, and not only with a Request. */
function isFetch(node: ts.Expression, checker: ts.TypeChecker): boolean {
  return checker
    .getTypeAtLocation(node)
    .getCallSignatures()
    .some(({ parameters: [first] }) => {
      const type = first && checker.getTypeOfSymbolAtLocation(first, node)
      return type === undefined || checker.typeToString(type) !== 'Request'
    })
}
