import * as arbitraries from '@farebox/arbitraries/operations'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import fc from 'fast-check'

export type FuzzRequest = {
  readonly id: OperationId
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyInit | undefined
  /** The body is JSON that the contract rejects. */
  readonly isWrong: boolean
}

type Parts = {
  readonly valid: fc.Arbitrary<unknown>
  readonly nearMiss: fc.Arbitrary<unknown> | undefined
}
const all: Readonly<Record<OperationId, object>> = arbitraries
type Part = { readonly value: unknown; readonly isWrong: boolean }

/**
 * What somebody might send to an operation: what it takes, what it nearly takes, and what nobody
 * meant. `likely` draws members that mean something to this service, which chance does not find.
 */
export function createRequestArbitrary(
  id: OperationId,
  likely?: fc.Arbitrary<object>,
): fc.Arbitrary<FuzzRequest> {
  const operation: Operation = operations[id]
  const own = all[id] as Readonly<Record<string, Parts>> & {
    readonly body?: Readonly<Record<string, Parts>>
  }
  const contentType = operation.body?.contentType
  return fc
    .record({
      path: createPartArbitrary(own['path']),
      query: createPartArbitrary(own['query']),
      headers: createPartArbitrary(own['headers']),
      body:
        contentType === undefined
          ? fc.constant({ value: undefined, isWrong: false })
          : createBodyArbitrary(own.body?.[contentType], contentType, likely),
      key: makeRare(fc.constantFrom('k1', 'k2', 'k3'), 4),
      type: makeRare(
        fc.constantFrom(
          'text/plain',
          'application/json; charset=latin1',
          'multipart/form-data; boundary=b',
          '',
        ),
        15,
      ),
    })
    .map(({ path, query, headers, body, key, type }) => {
      const form = body.value instanceof FormData
      const sent =
        contentType === undefined ? undefined : form || type === '' ? type : (type ?? contentType)
      return {
        id,
        path: toPath(operation.path, path.value) + toQuery(query.value),
        headers: {
          ...createHeaders(headers.value),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(sent !== undefined && sent !== '' && { 'content-type': sent }),
        },
        body: body.value as BodyInit | undefined,
        isWrong: body.isWrong && type === undefined,
      }
    })
}

function createPartArbitrary(parts: Parts | undefined): fc.Arbitrary<Part> {
  if (!parts) return fc.constant({ value: {}, isWrong: false })
  const valid = parts.valid.map((value) => ({ value, isWrong: false }))
  const { nearMiss } = parts
  if (!nearMiss) return valid
  return fc.oneof(
    { weight: 4, arbitrary: valid },
    { weight: 1, arbitrary: nearMiss.map((value) => ({ value, isWrong: true })) },
  )
}

function createBodyArbitrary(
  parts: Parts | undefined,
  contentType: string,
  likely: fc.Arbitrary<object> = fc.constant({}),
): fc.Arbitrary<Part> {
  const sample = fc
    .tuple(createPartArbitrary(parts), makeRare(likely, 2), fc.boolean())
    .map(([{ value, isWrong }, members, alone]): Part => {
      if (members === undefined) return { value, isWrong }
      return { value: { ...(isRecord(value) && !alone && value), ...members }, isWrong: false }
    })
  if (contentType === 'multipart/form-data')
    return sample.map(({ value }) => ({ value: toForm(value), isWrong: false }))
  const written = sample.map(({ value, isWrong }) => ({
    value: JSON.stringify(value) ?? '',
    isWrong,
  }))
  const anything = fc
    .oneof(fc.json(), fc.string(), fc.constant(''))
    .map((value) => ({ value, isWrong: false }))
  return fc.oneof({ weight: 12, arbitrary: written }, { weight: 1, arbitrary: anything })
}

/** Once in `times`. */
function makeRare<T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: times - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  )
}

function toForm(value: unknown): FormData {
  const form = new FormData()
  for (const [name, field] of Object.entries(isRecord(value) ? value : { value })) {
    if (field instanceof Uint8Array)
      form.append(toWellFormed(name), new Blob([new Uint8Array(field)]), 'a')
    else if (field !== undefined) form.append(toWellFormed(name), readText(field))
  }
  return form
}

function toPath(template: string, values: unknown): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = encodeURIComponent(readText(isRecord(values) ? values[name] : undefined))
    // these would be another path
    return ['', '.', '..'].includes(text) ? 'x' : text
  })
}

function toQuery(values: unknown): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(isRecord(values) ? values : {}))
    query.append(name, readText(value))
  return query.size === 0 ? '' : `?${query}`
}

/** Headers as a client could send them at all. */
function createHeaders(values: unknown): Record<string, string> {
  const entries = Object.entries(isRecord(values) ? values : {})
  const known = entries.filter(
    ([name]) =>
      /^[a-z][\w-]*$/i.test(name) &&
      !/^(?:content-length|transfer-encoding|host|connection)$/i.test(name),
  )
  return Object.fromEntries(
    known.map(([name, value]) => [name, readText(value).replaceAll(/[^\x20-\x7e]/g, '?')]),
  )
}

function readText(value: unknown): string {
  return toWellFormed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Without halves of surrogate pairs, which no URL or form can carry. */
function toWellFormed(text: string): string {
  return Buffer.from(text).toString()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
