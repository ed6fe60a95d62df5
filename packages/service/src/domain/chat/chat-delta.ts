import { isRecord } from '../../platform/unknown-value.js'
import type { ChatDelta, ChoiceDelta, FinishReason } from './chat-backend.js'
import { readUsage, toCount } from './read-usage.js'

/** The choices and the usage, without what has an unexpected type. */
export function toDelta(
  value: Readonly<Record<string, unknown>>,
  field: 'delta' | 'message',
): ChatDelta {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isRecord) : []
  const usage = readUsage(value['usage'])
  return {
    choices: choices.map((choice): ChoiceDelta => {
      const { index, finish_reason, logprobs } = choice
      const given = choice[field]
      return {
        index: toCount(index) ?? 0,
        delta: toMessage(isRecord(given) ? given : {}),
        finish_reason: toFinishReason(finish_reason),
        ...(isRecord(logprobs) && { logprobs }),
      }
    }),
    ...(usage && { usage }),
  }
}

function toMessage(given: Readonly<Record<string, unknown>>): ChoiceDelta['delta'] {
  const { content, refusal, tool_calls, reasoning } = given
  const { reasoning_content: thoughts = reasoning } = given
  return {
    ...(typeof content === 'string' && { content }),
    ...(typeof refusal === 'string' && refusal !== '' && { refusal }),
    ...(typeof thoughts === 'string' && { reasoning_content: thoughts }),
    ...(Array.isArray(tool_calls) && {
      tool_calls: tool_calls.filter(isRecord).map(toToolCall),
    }),
  }
}

function toToolCall(call: Readonly<Record<string, unknown>>, place: number) {
  const { index, id, function: named } = call
  const { name, arguments: text } = isRecord(named) ? named : {}
  return {
    index: toCount(index) ?? place,
    ...(typeof id === 'string' && id !== '' && { id, type: 'function' as const }),
    function: {
      ...(typeof name === 'string' && name !== '' && { name }),
      ...(typeof text === 'string' && { arguments: text }),
    },
  }
}

const reasons: ReadonlySet<string> = new Set<FinishReason>([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
])

/** Other reasons, such as `eos`, mean an ordinary end. */
function toFinishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return reasons.has(value) ? (value as FinishReason) : 'stop'
}
