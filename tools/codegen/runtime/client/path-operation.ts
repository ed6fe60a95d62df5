import type { OperationFacts, ParameterFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'

/** The fields of a call by path that are read here. */
export type PathInit = {
  readonly params?: { readonly [place: string]: unknown }
  readonly headers?: unknown
  readonly body?: unknown
}

/**
 * The operation of a call by path. Throws `InvalidInputError` for an unknown address, a missing
 * parameter and a missing body, which the types refuse too. Then the request is not sent.
 */
export function operationOf(operations: readonly OperationFacts[], method: string, path: string, init: PathInit = {}): OperationFacts {
  const operation = operations.find((one) => one.method === method && one.path === path)
  if (operation === undefined) throw unknownOperation(operations, method, path)
  for (const parameter of operation.parameters) check(operation, parameter, init)
  if (operation.body?.required === true && init.body === undefined) {
    throw new InvalidInputError(`${method} ${path}: the body is missing. Give it as "body", in the form of ${operation.body.contentType}.`)
  }
  return operation
}

function check({ method, path }: OperationFacts, { in: place, name, missing }: ParameterFacts, { params, headers }: PathInit): void {
  const given = valueOf(params?.[place], name) ?? (place === 'header' ? valueOf(headers, name) : undefined)
  if (missing && (given === undefined || given === null || (place === 'path' && given === ''))) {
    throw new InvalidInputError(`${method} ${path}: the ${place} parameter "${name}" is required. Give it as params.${place}["${name}"].`)
  }
  if (place === 'path' && /^(?:\.|%2e){1,2}$/i.test(String(given))) {
    throw new InvalidInputError(`${method} ${path}: "${name}" is ${JSON.stringify(given)}, which no URL can hold. Give another.`)
  }
}

/** Header names are case-insensitive and come in three forms. */
function valueOf(values: unknown, name: string): unknown {
  if (typeof values !== 'object' || values === null) return undefined
  if (values instanceof Headers) return values.get(name) ?? undefined
  if (name in values) return Reflect.get(values, name)
  const entries: readonly unknown[] = Array.isArray(values) ? values : Object.entries(values)
  const found = entries.find((entry) => Array.isArray(entry) && String(entry[0]).toLowerCase() === name.toLowerCase())
  return Array.isArray(found) ? found[1] : undefined
}

function unknownOperation(operations: readonly OperationFacts[], method: string, path: string): InvalidInputError {
  const methods = operations.filter((one) => one.path === path).map((one) => one.method)
  const template = operations.find((one) => matches(one.path, path))?.path
  const paths = [...new Set(operations.map((one) => one.path))]
  const expected =
    methods.length > 0
      ? `The contract has ${methods.join(' and ')} for this path.`
      : template === undefined
        ? `The contract has the paths ${paths.join(', ')}.`
        : `Give the path as the contract writes it, ${template}, and its values as params.path.`
  return new InvalidInputError(`${method} ${path}: the contract has no such operation. ${expected}`)
}

/** Whether a path is a template whose values are already filled in. */
function matches(template: string, path: string): boolean {
  const [these, those] = [template.split('/'), path.split('/')]
  return these.length === those.length && these.every((part, index) => part.includes('{') || part === those[index])
}
