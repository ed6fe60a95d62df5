import {
  buildApi,
  isObject,
  pointerTo,
  parsePointer,
  type Api,
  type Document,
  type Json,
  type JsonObject,
  type Operation,
  type Parameter,
  type Response,
} from '@farebox/codegen/model'
import type { Code } from '../change/catalogue.js'
import type { ChangeList } from '../change/change-list.js'
import { compareContents } from './contents.js'
import { compareSchema } from '../schema/schema.js'
import type { Note, Pair } from '../change/note.js'
import { createSides } from '../difference/side.js'

/**
 * Reports the changes of webhooks and callbacks. The consumer is the server here: it reads the
 * service's requests as it reads responses, and its responses are what the service accepts.
 */
export function compareCalls(
  base: Api,
  head: Api,
  moves: ReadonlyMap<string, string>,
  changes: ChangeList,
): void {
  const pair = { changes, ...createSides(base, head) }
  const address = ({ method, path }: Operation) => `${method} ${path}`
  const before = new Map(
    base.operations.map((call) => [address({ ...call, path: movePath(call.path, moves) }), call]),
  )
  for (const call of head.operations) {
    const known = before.get(address(call))
    before.delete(address(call))
    const note = noteFor(call, 'head', changes)
    if (known === undefined) note('webhook-added', 'is new')
    else if (!pair.sameness.isSame(known, call))
      compareCall(
        pair.base.normalizeOperation(known),
        pair.head.normalizeOperation(call),
        pair,
        note,
      )
  }
  for (const call of before.values()) noteFor(call, 'base', changes)('webhook-removed', 'is gone')
}

/**
 * The new places of the callbacks of operations that have moved, by the former ones. A callback of
 * an operation that is gone leaves its place to one that has moved there.
 */
export function findMoves(base: Api, head: Api): ReadonlyMap<string, string> {
  const places = new Map(
    head.operations.map(({ id, method, path }) => [id, toFolder(method, path)]),
  )
  const all = base.operations.map(({ id, method, path }) => {
    const from = toFolder(method, path)
    return { from, to: places.get(id) }
  })
  const moves = all.flatMap(({ from, to }): [string, string][] =>
    to === undefined || from === to ? [] : [[from, to]],
  )
  const takenNames = new Set(moves.map(([, to]) => to))
  const left = all.flatMap(({ from, to }): [string, string][] =>
    to === undefined && takenNames.has(from) ? [[from, `gone/${from}`]] : [],
  )
  return new Map([...moves, ...left])
}

/** The path of a callback ends with its name, and with a number from the second expression on. */
function movePath(path: string, moves: ReadonlyMap<string, string>): string {
  const name = /\/[^/]+(?:\/\d+)?$/.exec(path)?.[0] ?? ''
  const to = moves.get(path.slice(1, path.length - name.length))
  return to === undefined ? path : `/${to}${name}`
}

/** The names of variables are no part of a path. */
function toFolder(method: string, path: string): string {
  return `callbacks/${method}${path.replaceAll(/\{[^{}]*\}/g, '*')}`
}

/** `webhooks/newTram` → the webhook newTram. */
export function callTitle({ path }: Operation): string {
  const [, kind, ...rest] = path.split('/')
  if (kind === 'webhooks') return `the webhook ${rest.join('/')}`
  return `the callback ${rest.at(-1) ?? ''} of ${rest.slice(0, -1).join('/').replace('/', ' /')}`
}

function noteFor(call: Operation, side: 'base' | 'head', changes: ChangeList): Note {
  const title = callTitle(call)
  return (code: Code, sentence, { from, to } = {}) =>
    changes.note(
      code,
      `${title} ${sentence}`,
      { side, origin: call.origin },
      { direction: 'none', subject: callSubject(call), operation: title, from, to },
    )
}

function callSubject(call: Operation) {
  return { kind: 'operation', name: callTitle(call) } as const
}

function compareCall(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const id = callTitle(head)
  if (base.deprecated !== head.deprecated)
    note(
      head.deprecated ? 'operation-deprecated' : 'operation-undeprecated',
      `is ${head.deprecated ? '' : 'no longer '}deprecated`,
    )
  if (base.summary !== head.summary || base.description !== head.description)
    note('operation-description-changed', 'has another description')
  compareParameters(base, head, pair, note, id)
  if (base.body?.required === true && head.body?.required === false)
    note('webhook-body-optional', 'may have no body now')
  if (base.body?.required === false && head.body?.required === true)
    note('webhook-body-required', 'always has a body now')
  const [before, after] = [base.body?.contents ?? [], head.body?.contents ?? []]
  const contents: Note = (code, sentence, values) => note(code, `changed: ${sentence}`, values)
  compareContents(before, after, 'response', `${id}: the body`, pair, id, contents)
  for (const { status, contents: now } of head.responses) {
    const then = findResponse(base, status)
    if (then)
      compareContents(
        then.contents,
        now,
        'request',
        `${id}: the response ${status}`,
        pair,
        id,
        contents,
      )
    else note('webhook-status-added', `accepts the response ${status} now`, { to: status })
  }
  for (const { status, contents: then } of base.responses) {
    if (head.responses.some((one) => one.status === status)) continue
    const now = findResponse(head, status)
    if (now === undefined)
      note('webhook-status-removed', `no longer accepts the response ${status}`, { from: status })
    else
      compareContents(
        then,
        now.contents,
        'request',
        `${id}: the response ${status}`,
        pair,
        id,
        contents,
      )
  }
}

/** The response that applies to a status or to a range of them. */
function findResponse({ responses }: Operation, status: Response['status']): Response | undefined {
  const range = `${String(status)[0]}XX`
  return [status, range, 'default']
    .map((wanted) => responses.find((one) => one.status === wanted))
    .find((one) => one !== undefined)
}

function compareParameters(
  base: Operation,
  head: Operation,
  { changes, ...sides }: Pair,
  note: Note,
  operation: string,
): void {
  const findParameter = (all: readonly Parameter[], wanted: Parameter) =>
    all.find((one) => one.in === wanted.in && one.name.toLowerCase() === wanted.name.toLowerCase())
  for (const parameter of head.parameters) {
    const title = `the ${parameter.in} parameter ${parameter.name}`
    const before = findParameter(base.parameters, parameter)
    if (before === undefined) {
      note('webhook-parameter-added', `has ${title} now`)
      continue
    }
    if (before.required && !parameter.required)
      note('webhook-parameter-optional', `may lack ${title} now`)
    if (!before.required && parameter.required)
      note('webhook-parameter-required', `always has ${title} now`)
    compareSchema(before.schema, parameter.schema, `${operation}: ${title}`, {
      changes,
      ...sides,
      direction: 'response',
      operation,
    })
  }
  for (const parameter of base.parameters)
    if (!findParameter(head.parameters, parameter))
      note(
        'webhook-parameter-removed',
        `has no ${parameter.in} parameter ${parameter.name} any more`,
      )
}

/** A path item outside of `paths`, and its place. */
type Item = { readonly name: string; readonly pointer: string; readonly node: Json }

/**
 * The requests that the service sends: the webhooks of a document and the callbacks of its
 * operations, as separate operations. Undefined if there are none, or if one has faults.
 */
export function buildCalls(document: Document): Api | undefined {
  const items = [...listWebhooks(document.root), ...listCallbacks(document.root)]
  if (items.length === 0) return undefined
  const paths = new Map(items.map((item) => [`/${item.name}`, item]))
  const original = (pointer: string): string => {
    const [section, path = '', ...rest] = parsePointer(pointer)
    const item = section === 'paths' ? paths.get(path) : undefined
    return item === undefined ? pointer : pointerTo(item.pointer, ...rest)
  }
  const root = {
    ...document.root,
    webhooks: {},
    paths: Object.fromEntries([...paths].map(([path, { node }]) => [path, node])),
  }
  const place: Document['place'] = (pointer) => document.place(original(pointer))
  const origin: Document['origin'] = (pointer) => document.origin(original(pointer))
  return buildApi({ ...document, root, place, origin }).api
}

function listWebhooks(root: JsonObject): readonly Item[] {
  return listEntries(root['webhooks']).map(([name, node]) => ({
    name: `webhooks/${name}`,
    pointer: pointerTo('/webhooks', name),
    node,
  }))
}

/** `paths → path → method → callbacks → name → expression → path item`. */
function listCallbacks(root: JsonObject): readonly Item[] {
  return listEntries(root['paths']).flatMap(([path, item]) =>
    listEntries(item).flatMap(([method, operation]) =>
      listEntries(isObject(operation) ? operation['callbacks'] : undefined).flatMap(
        ([name, callback]) =>
          listEntries(callback).map(([expression, node], index): Item => {
            const pointer = pointerTo('/paths', path, method, 'callbacks', name, expression)
            // the expression is no path
            return {
              name: `${toFolder(method, path)}/${name}${index === 0 ? '' : `/${index}`}`,
              pointer,
              node,
            }
          }),
      ),
    ),
  )
}

function listEntries(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value).filter(([name]) => !name.startsWith('x-')) : []
}
