import type { Api, Content, Operation, Stream } from '../ir/api.js'
import { code, join, symbol, type Code } from './code.js'
import { literal } from './literal.js'

/** The type of the items of a response, from that of one item. */
export function streamType(
  { kind }: Stream,
  item: Code,
  { idempotent }: Pick<Operation, 'idempotent'>,
): Code {
  if (kind !== 'events')
    return code`${symbol('ItemStream', './stream.js', { typeOnly: true })}<${item}>`
  return code`${symbol('EventStream', './events.js', { typeOnly: true })}<${item}, ${String(idempotent)}>`
}

/** The reader of the items of a response. `from` returns a name of a runtime file. */
export function streamReader(
  stream: Stream,
  from: (file: 'events' | 'json-items' | 'parts') => (name: string) => Code,
): Code {
  if (stream.kind === 'parts') {
    const types = join(
      [literal(stream.prefix), stream.rest !== undefined && literal(stream.rest)].filter(Boolean),
      ', ',
    )
    return code`/* @__PURE__ */ ${from('parts')('partsReader')}(${types})`
  }
  if (stream.kind !== 'events')
    return from('json-items')(stream.kind === 'lines' ? 'readLines' : 'readSequence')
  const { data, except } = stream
  if (except.length === 0) return from('events')(data === 'json' ? 'readEvents' : 'readTextEvents')
  return code`/* @__PURE__ */ ${from('events')('eventsReader')}(${literal(data)}, ${literal(except)})`
}

/** Whether a response of the document has items. */
export function hasStreams(api: Api): boolean {
  return listKinds(api).size > 0
}

/** The exports of an index for streams, if the document has any. */
export function streamExports(api: Api): readonly Code[] {
  const kinds = listKinds(api)
  if (kinds.size === 0) return []
  const events = kinds.has('events')
  return [
    code`export type { ItemStream } from './stream.js'
export { InvalidItemError, validated, type ItemSchema } from './validated.js'${
      events &&
      `
export type { EventStream } from './events.js'
export { resumed, type ResumeOptions } from './resumed.js'`
    }`,
  ]
}

function listKinds({ operations }: Api): ReadonlySet<string> {
  return new Set(
    operations.flatMap(({ responses }) =>
      responses.flatMap(({ contents }) => contents.flatMap(streamKinds)),
    ),
  )
}

function streamKinds({ stream }: Content): readonly string[] {
  return stream === undefined ? [] : [stream.kind]
}
