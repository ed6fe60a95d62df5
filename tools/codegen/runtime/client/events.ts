import type { OperationFacts, ResponseReader } from './call.js'
import {
  createCutter,
  createItemStream,
  parseItem,
  type Fault,
  type ItemStream,
  type Parser,
} from './stream.js'

/** The events of a `text/event-stream`. `Resumable`: the operation may be called again. */
export type EventStream<Event, Resumable extends boolean = boolean> = ItemStream<Event> & {
  /** The last id that the service set. A call that goes on sends it as `Last-Event-ID`. */
  readonly lastEventId: string | undefined
  /** The milliseconds that the service asks for before another call. */
  readonly retry: number | undefined
  readonly resumable: Resumable
}

/** Reads events whose data is JSON. The data `[DONE]` is not JSON and ends the stream. */
export const readEvents: ResponseReader = (operation, response, maxBytes, signal) =>
  createEventStream(operation, response, maxBytes, signal, isAlways)

/** Reads events whose data is text. */
export const readTextEvents: ResponseReader = (operation, response, maxBytes, signal) =>
  createEventStream(operation, response, maxBytes, signal, () => false)

/** Reads events whose data is JSON or text, by their names. */
export function createEventsReader(
  usual: 'json' | 'text',
  exceptions: readonly string[],
): ResponseReader {
  const isJson = (event: string): boolean => (usual === 'json') !== exceptions.includes(event)
  return (operation, response, maxBytes, signal) =>
    createEventStream(operation, response, maxBytes, signal, isJson)
}

type State = { lastEventId: string | undefined; retry: number | undefined }

function isAlways(): boolean {
  return true
}

function createEventStream(
  operation: OperationFacts,
  response: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
  isJson: (event: string) => boolean,
): EventStream<unknown> {
  const state: State = { lastEventId: undefined, retry: undefined }
  const items = createItemStream(operation, response, signal, (fault) =>
    createEventParser(state, maxBytes, isJson, fault),
  )
  return Object.assign(state, items, { resumable: operation.idempotent })
}

/** The fields of an event that has begun. */
type Block = { event?: string; id?: string; retry?: number; readonly data: string[] }

/** Parses events (HTML, "Interpreting an event stream"). One that the end cuts off is dropped. */
function createEventParser(
  state: State,
  maxBytes: number,
  isJson: (event: string) => boolean,
  fault: Fault,
): Parser<unknown> {
  const { cut } = createCutter([10, 13], maxBytes, fault)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isFirst = true
  let size = 0
  let block: Block = { data: [] }
  return {
    *push(chunk) {
      for (const [piece] of cut(chunk)) {
        const line = decoder.decode(piece)
        const isData = readLine(isFirst ? line.replace(/^\uFEFF/, '') : line, block)
        isFirst = false
        size += isData ? piece.byteLength : 0
        if (size > maxBytes) throw fault('too_large', `has an item of more than ${maxBytes} bytes`)
        state.retry = block.retry ?? state.retry
        if (line !== '') continue
        const { data, ...fields } = block
        block = { data: [] }
        size = 0
        state.lastEventId = fields.id ?? state.lastEventId
        if (data.length === 0) continue
        const text = data.join('\n')
        const json = isJson(fields.event ?? '')
        if (json && text === '[DONE]') return true
        yield { ...fields, data: json ? parseItem(text, fault) : text }
      }
      return false
    },
    end: () => [],
  }
}

/** Adds a line to an event. Returns whether it is one of its data. */
function readLine(line: string, block: Block): boolean {
  const colon = line.indexOf(':')
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') block.data.push(value)
  else if (name === 'id' && !value.includes('\0')) block.id = value
  else if (name === 'retry' && /^\d+$/.test(value)) block.retry = Number(value)
  else if (name === 'event' && value !== '') block.event = value
  else if (name === 'event') delete block.event
  return name === 'data'
}
