import { randomUUID } from 'node:crypto'
import { isRecord } from '../../platform/unknown-value.js'
import type { ChoiceDelta } from './chat-backend.js'
import { toCount } from './read-usage.js'

type CallPieces = NonNullable<ChoiceDelta['delta']['tool_calls']>

export type ToolCallReader = {
  /** The pieces of one delta of a choice, as an upstream sent them. */
  readonly read: (choice: number, pieces: readonly unknown[]) => CallPieces
  /** Whether a choice has a call so far. */
  readonly hasCall: (choice: number) => boolean
}

type Call = {
  /** The place among the calls of its choice. */
  readonly index: number
  /** As the upstream counts. */
  readonly givenIndex: number | undefined
  readonly givenId: string | undefined
  name: string
}

/**
 * Reads the tool calls of one response. Each call gets an index and an id of its own, although some
 * servers count all calls as 0 or not at all, leave ids out, or repeat id and name in each piece.
 */
export function createToolCallReader(): ToolCallReader {
  const calls = new Map<number, Call[]>()
  return {
    read: (choice, pieces) => {
      const known = calls.get(choice) ?? []
      calls.set(choice, known)
      return pieces.filter(isRecord).map((piece) => readPiece(piece, known))
    },
    hasCall: (choice) => (calls.get(choice)?.length ?? 0) > 0,
  }
}

function readPiece(piece: Readonly<Record<string, unknown>>, known: Call[]): CallPieces[number] {
  const { index, id, function: functionCall } = piece
  const { name, arguments: json } = isRecord(functionCall) ? functionCall : {}
  const text = isRecord(json) ? JSON.stringify(json) : json
  const started = {
    givenIndex: toCount(index),
    givenId: typeof id === 'string' && id !== '' ? id : undefined,
    name: typeof name === 'string' ? name : '',
  }
  const call = findCall(started, known)
  const isRepeated = call?.name === started.name
  if (call && !isRepeated) call.name += started.name
  const isNew = call === undefined
  const place = call?.index ?? known.length
  if (isNew) known.push({ ...started, index: place })
  return {
    index: place,
    ...(isNew && { id: started.givenId ?? createId(), type: 'function' as const }),
    function: {
      ...(started.name !== '' && !isRepeated && { name: started.name }),
      ...(typeof text === 'string' && { arguments: text }),
    },
  }
}

/** The call that a piece continues. A piece with a new id continues one only without a name. */
function findCall(
  { givenIndex, givenId, name }: Pick<Call, 'givenIndex' | 'givenId' | 'name'>,
  known: readonly Call[],
): Call | undefined {
  const same = givenId === undefined ? undefined : known.find((call) => call.givenId === givenId)
  if (same) return same
  const last =
    givenIndex === undefined
      ? known.at(-1)
      : known.findLast((call) => call.givenIndex === givenIndex)
  if (!last || name === '') return last
  // the id may come after the name
  if (givenId === undefined) return givenIndex === undefined ? undefined : last
  return last.givenId === undefined ? last : undefined
}

function createId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`
}
