import type { WriteBody } from './operation-facts.js'
import { streamParts, type PartTypes } from '../client/part-bytes.js'

type Items = Iterable<unknown> | AsyncIterable<unknown>

/** Writes items as lines of JSON. */
export const writeLines: WriteBody = (value) =>
  streamItems(value as Items, (item) => `${JSON.stringify(item)}\n`)

/** Writes items as a JSON text sequence (RFC 7464). */
export const writeSequence: WriteBody = (value) =>
  streamItems(value as Items, (item) => `\x1E${JSON.stringify(item)}\n`)

/** Writes items as the parts of a multipart body. */
export function createPartsWriter(types: PartTypes): WriteBody {
  return (value, boundary) => streamParts(openIterator(value as Items), boundary, types, 'values')
}

/** Writes events (HTML, "Server-sent events") with JSON or text as data, by their names. */
export function createEventsWriter(
  usual: 'json' | 'text',
  exceptions: readonly string[],
): WriteBody {
  return (value) =>
    streamItems(value as AsyncIterable<Event>, (item) => {
      const { event, id, retry, data } = item as Event
      const isJson = (usual === 'json') !== exceptions.includes(event ?? '')
      const lines = (isJson ? JSON.stringify(data) : String(data)).split(/\r\n|\r|\n/)
      return `${printField('event', event)}${printField('id', id)}${printField('retry', retry)}${lines.map((line) => `data: ${line}\n`).join('')}\n`
    })
}

type Event = {
  readonly event?: string
  readonly id?: string
  readonly retry?: number
  readonly data: unknown
}

/** A line break in a name or an id would begin another field. */
function printField(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : `${name}: ${String(value).replaceAll(/[\r\n\0]/g, ' ')}\n`
}

function openIterator(items: Items): Iterator<unknown> | AsyncIterator<unknown> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
}

/** Makes an item when the caller has taken the last one. A caller who leaves ends the items. */
function streamItems(items: Items, write: (item: unknown) => string): ReadableStream<Uint8Array> {
  const iterator = openIterator(items)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(write(value)))
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  )
}
