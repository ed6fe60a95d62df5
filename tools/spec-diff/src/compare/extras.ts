import {
  isObject,
  type Api,
  type Document,
  type JsonObject,
  type Operation,
} from '@farebox/codegen/model'
import type { Code } from '../change/catalogue.js'
import type { ChangeList } from '../change/change-list.js'
import {
  createReader,
  listMembers,
  readOperations,
  type LocatedValue,
  type Reader,
} from './document-reader.js'
import { toMediaKey } from './media-key.js'
import { printJson } from '../change/note.js'

type Side = { readonly api: Api; readonly extras?: Extras }

/**
 * Reports the changes of links, of headers of parts and of the addresses of callbacks, for operations
 * that both versions have.
 */
export function compareExtras(base: Side, head: Side, changes: ChangeList): void {
  const before = new Map(base.api.operations.map((operation) => [operation.id, operation]))
  for (const operation of head.api.operations) {
    const known = before.get(operation.id)
    if (known === undefined) continue
    const [from, to] = [findExtras(base, known), findExtras(head, operation)]
    compareOperation(operation.id, from.filter(isDeclared), to.filter(isDeclared), changes)
    compareAddresses(operation.id, from, to, changes)
  }
}

/** A callback that comes or goes is reported with what it sends. */
function compareAddresses(
  operation: string,
  base: readonly Extra[],
  head: readonly Extra[],
  changes: ChangeList,
): void {
  for (const callback of head) {
    const { kind, title, origin } = callback
    if (kind !== 'callback-address') continue
    const before = base.find((one) => one.kind === kind && one.title === title)
    if (before === undefined) continue
    const [from, to] = [readAddress(before), readAddress(callback)]
    if (from !== to)
      changes.note(
        'callback-address-changed',
        `${operation}: ${title} was sent to ${from} and is sent to ${to} now`,
        { side: 'head', origin },
        { direction: 'none', subject: { kind: 'operation', name: operation }, operation, from, to },
      )
  }
}

function readAddress({ value: { address } }: Extra): string {
  return typeof address === 'string' ? address : ''
}

function findExtras({ extras }: Side, { method, path }: Operation): readonly Extra[] {
  return extras?.get(`${method} ${path}`) ?? []
}

function compareOperation(
  operation: string,
  base: readonly DeclaredExtra[],
  head: readonly DeclaredExtra[],
  changes: ChangeList,
): void {
  const note = (
    code: Code,
    said: string,
    side: 'base' | 'head',
    { kind, title, origin }: DeclaredExtra,
    values: object,
  ) =>
    changes.note(
      code,
      `${operation}: ${title} ${said}`,
      { side, origin },
      {
        direction:
          kind === 'link' ? 'none' : kind === 'request-part-header' ? 'request' : 'response',
        subject: { kind: 'operation', name: operation },
        operation,
        ...values,
      },
    )
  for (const extra of head) {
    const before = base.find(({ title }) => title.toLowerCase() === extra.title.toLowerCase())
    const isRequired = extra.kind === 'request-part-header' && extra.value['required'] === true
    const values = { from: before?.value, to: extra.value }
    if (before === undefined)
      note(
        isRequired ? 'request-part-header-required' : `${extra.kind}-added`,
        isRequired ? 'is new and required' : 'is new',
        'head',
        extra,
        values,
      )
    else if (isRequired && before.value['required'] !== true)
      note('request-part-header-required', 'is required now', 'head', extra, values)
    else if (printJson(before.value) !== printJson(extra.value))
      note(`${extra.kind}-changed`, 'says something else now', 'head', extra, values)
  }
  for (const extra of base)
    if (!head.some(({ title }) => title.toLowerCase() === extra.title.toLowerCase()))
      note(`${extra.kind}-removed`, 'is gone', 'base', extra, { from: extra.value })
}

type Origin = ReturnType<Document['origin']>

/**
 * A link of a response, a header of a part of a body or the address of a callback, which no generated
 * code has.
 */
type Extra = {
  readonly kind: 'link' | 'request-part-header' | 'response-part-header' | 'callback-address'
  /** `the link owner of the response 200`. */
  readonly title: string
  readonly value: JsonObject
  readonly origin: Origin
}

type DeclaredExtra = Extra & { readonly kind: Exclude<Extra['kind'], 'callback-address'> }

function isDeclared(extra: Extra): extra is DeclaredExtra {
  return extra.kind !== 'callback-address'
}

/** The extras of each operation, by its method and path as `get /trams`. */
export type Extras = ReadonlyMap<string, readonly Extra[]>

/** Reads the links of responses, the headers of parts and the addresses of callbacks. */
export function readExtras(document: Document): Extras {
  const reader = createReader(document)
  return readOperations(document, reader, (operation) => listOperationExtras(reader, operation))
}

function listOperationExtras(reader: Reader, operation: LocatedValue): readonly Extra[] {
  const body = reader.follow(operation, 'requestBody')
  return [
    ...listContentExtras(reader, body, 'request-part-header', 'the body'),
    ...listMembers(reader, operation, 'callbacks').flatMap(([name, { value, pointer }]) =>
      reader
        .entries(pointer, value)
        .filter(([address]) => !address.startsWith('x-'))
        .map(([address, item], index) => ({
          ...createExtra(
            reader,
            'callback-address',
            `the callback ${name}${index === 0 ? '' : ` (${index + 1})`}`,
            item,
          ),
          value: { address },
        })),
    ),
    ...listMembers(reader, operation, 'responses').flatMap(([status, response]) => [
      ...listMembers(reader, response, 'links').map(([link, at]) =>
        createExtra(reader, 'link', `the link ${link} of the response ${status}`, at),
      ),
      ...listContentExtras(reader, response, 'response-part-header', `the response ${status}`),
    ]),
  ]
}

function listContentExtras(
  reader: Reader,
  body: LocatedValue,
  kind: Extra['kind'],
  where: string,
): readonly Extra[] {
  return listMembers(reader, body, 'content').flatMap(([mediaType, media]) =>
    listMembers(reader, media, 'encoding').flatMap(([part, encoding]) =>
      listMembers(reader, encoding, 'headers').map(([header, at]) =>
        createExtra(
          reader,
          kind,
          `the header ${header} of the part ${part} of ${where} (${toMediaKey(mediaType)})`,
          at,
        ),
      ),
    ),
  )
}

function createExtra(
  { origin }: Reader,
  kind: Extra['kind'],
  title: string,
  { value, pointer }: LocatedValue,
): Extra {
  return { kind, title, value: isObject(value) ? value : {}, origin: origin(pointer) }
}
