import { commentOf } from './declare-comment.js'
import { mediaSchema } from './declare-schema.js'
import type { SchemaPrinter } from './declare-schema.js'
import type { Shorthands } from './declare-shorthand.js'
import { block, key, quoted } from './declare-text.js'
import { isList, isObject, own } from './json.js'
import type { Json } from './json.js'

/** Prints path items and what they hold. The operations that have a name are collected under it. */
export type OperationPrinter = {
  readonly pathItem: (node: Json, pad: string) => string
  readonly parameter: (node: Json, pad: string) => string
  readonly requestBody: (node: Json, pad: string) => string
  readonly response: (node: Json, pad: string) => string
  readonly header: (node: Json, pad: string) => string
  /** The members of `operations`: those of all path items so far. */
  readonly operations: () => readonly string[]
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

export function operationPrinter({ type, reference, resolve }: SchemaPrinter, shorthands: Shorthands): OperationPrinter {
  const named = new Map<string, string>()
  return {
    pathItem,
    parameter,
    requestBody,
    response,
    header,
    operations: () => [...named].map(([name, text]) => `  ${key(name)}: ${text}`),
  }

  function pathItem(node: Json, pad: string): string {
    const inner = `${pad}  `
    const shared = distinct(listOf(node, 'parameters'))
    const members = methods.map((method) => {
      const operation = own(node, method)
      if (!isObject(operation)) return `${inner}${method}?: never`
      const id = own(operation, 'operationId')
      const all = distinct([...shared, ...listOf(operation, 'parameters')])
      const name = typeof id === 'string' && id !== '' ? nameFor(id, operationType(operation, all, '  ')) : undefined
      const type = name === undefined ? operationType(operation, all, inner) : `operations[${quoted(name)}]`
      return `${commentOf(operation, inner)}${inner}${method}: ${type}`
    })
    return block([parameters(shared, inner), ...members], pad)
  }

  /**
   * The name of an operation's type, or nothing where another operation has that name: then the
   * type stands where it is used.
   */
  function nameFor(id: string, type: string): string | undefined {
    const name = id.replaceAll('#', '/')
    const known = named.get(name)
    if (known === undefined) named.set(name, type)
    return known === undefined || known === type ? name : undefined
  }

  function operationType(operation: Json, all: readonly Json[], pad: string): string {
    const inner = `${pad}  `
    const body = own(operation, 'requestBody')
    const responses = own(operation, 'responses')
    const members = isObject(responses)
      ? Object.entries(responses).map(
          ([status, node]) => `${commentOf(node, `${inner}  `)}${inner}  ${key(status)}: ${response(node, `${inner}  `)}`,
        )
      : []
    return block(
      [
        parameters(all, inner),
        body === undefined
          ? `${inner}requestBody?: never`
          : `${commentOf(body, inner)}${inner}requestBody${own(target(body), 'required') === true ? '' : '?'}: ${requestBody(body, inner)}`,
        `${inner}responses: ${members.length === 0 ? 'never' : block(members, inner)}`,
      ],
      pad,
    )
  }

  function parameters(list: readonly Json[], pad: string): string {
    if (list.length === 0) return `${pad}parameters: ${shorthands.use('NoParameters')}`
    const inner = `${pad}  `
    const deeper = `${inner}  `
    const all = list.map((node) => ({ node, resolved: target(node) }))
    const places = ['query', 'header', 'path', 'cookie'].map((place) => {
      const here = all.filter(({ resolved }) => own(resolved, 'in') === place)
      if (here.length === 0) return `${inner}${place}?: never`
      const members = here.map(({ node, resolved }) => {
        const optional = isOptional(resolved) ? '?' : ''
        return `${commentOf(resolved, deeper)}${deeper}${key(nameOf(resolved))}${optional}: ${parameter(node, deeper)}`
      })
      return `${inner}${place}${here.every(({ resolved }) => isOptional(resolved)) ? '?' : ''}: ${block(members, inner)}`
    })
    return `${pad}parameters: ${block(places, pad)}`
  }

  /**
   * A parameter of an operation stands for one of its path with the same name and place. Header
   * names are the same in any case.
   */
  function distinct(list: readonly Json[]): readonly Json[] {
    const known = new Map<string, Json>()
    for (const node of list) {
      const resolved = target(node)
      const [place, name] = [own(resolved, 'in'), own(resolved, 'name')]
      known.set(JSON.stringify([place, place === 'header' && typeof name === 'string' ? name.toLowerCase() : name]), node)
    }
    return [...known.values()]
  }

  function parameter(node: Json, pad: string): string {
    const schema = own(node, 'schema')
    return referenceTo(node) ?? (schema === undefined ? 'string' : type(schema, pad).text)
  }

  function header(node: Json, pad: string): string {
    const schema = own(node, 'schema')
    if (schema !== undefined) return type(schema, pad).text
    const content = contentOf(node, pad)
    return referenceTo(node) ?? (isObject(own(node, 'content')) ? block(content, pad) : 'unknown')
  }

  function requestBody(node: Json, pad: string): string {
    const inner = `${pad}  `
    const content = contentOf(node, inner)
    return (
      referenceTo(node) ?? block([`${inner}content: ${block(content.length === 0 ? [`${inner}  "*/*"?: never`] : content, inner)}`], pad)
    )
  }

  function response(node: Json, pad: string): string {
    const inner = `${pad}  `
    const headers = own(node, 'headers')
    const named = isObject(headers)
      ? Object.entries(headers).map(([name, item]) => {
          const optional = own(item, '$ref') !== undefined || own(item, 'required') === true ? '' : '?'
          return `${commentOf(item, `${inner}  `)}${inner}  ${key(name)}${optional}: ${referenceTo(item) ?? header(item, `${inner}  `)}`
        })
      : []
    const content = contentOf(node, inner)
    return (
      referenceTo(node) ??
      block(
        [
          `${inner}headers: ${named.length === 0 ? shorthands.use('AnyHeaders') : block([...named, `${inner}  [name: string]: unknown`], inner)}`,
          content.length === 0 ? `${inner}content?: never` : `${inner}content: ${block(content, inner)}`,
        ],
        pad,
      )
    )
  }

  /** The members of `content`, which stands at `pad`. */
  function contentOf(node: Json, pad: string): readonly string[] {
    const content = own(node, 'content')
    if (!isObject(content)) return []
    const inner = `${pad}  `
    return Object.entries(content).map(([mediaType, media]) => {
      const schema = mediaSchema(mediaType, media)
      return `${commentOf(media, inner)}${inner}${key(mediaType)}: ${schema === undefined ? 'unknown' : type(schema, inner).text}`
    })
  }

  function referenceTo(node: Json): string | undefined {
    const ref = own(node, '$ref')
    return typeof ref === 'string' ? reference(ref).text : undefined
  }

  function target(node: Json): Json | undefined {
    const ref = own(node, '$ref')
    return typeof ref === 'string' ? resolve(ref) : node
  }
}

function nameOf(parameter: Json | undefined): string {
  const name = own(parameter, 'name')
  return typeof name === 'string' ? name : JSON.stringify(name ?? null)
}

function isOptional(parameter: Json | undefined): boolean {
  return own(parameter, 'in') !== 'path' && own(parameter, 'required') !== true
}

function listOf(node: Json, name: string): readonly Json[] {
  const list = own(node, name)
  return isList(list) ? list : []
}
