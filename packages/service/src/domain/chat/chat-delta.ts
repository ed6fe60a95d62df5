import { isRecord } from '../../platform/unknown-value.js'
import type { ChatDelta, ChoiceDelta, FinishReason } from './chat-backend.js'
import { readUsage, toCount } from './read-usage.js'
import type { ToolCallReader } from './tool-calls.js'

/** The choices and the usage, without what has an unexpected type. */
export function toDelta(
  value: Readonly<Record<string, unknown>>,
  field: 'delta' | 'message',
  readCalls: ToolCallReader,
): ChatDelta {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isRecord) : []
  const usage = readUsage(value['usage'])
  return {
    choices: choices.map((choice): ChoiceDelta => {
      const { finish_reason, logprobs } = choice
      const given = choice[field]
      const index = toCount(choice['index']) ?? 0
      return {
        index,
        delta: toMessage(isRecord(given) ? given : {}, (calls) => readCalls(index, calls)),
        finish_reason: toFinishReason(finish_reason),
        ...(isRecord(logprobs) && { logprobs }),
      }
    }),
    ...(usage && { usage }),
  }
}

function toMessage(
  given: Readonly<Record<string, unknown>>,
  toCalls: (pieces: readonly unknown[]) => ChoiceDelta['delta']['tool_calls'] & object,
): ChoiceDelta['delta'] {
  const { content, refusal, tool_calls, reasoning } = given
  const { reasoning_content: thoughts = reasoning } = given
  return {
    ...(typeof content === 'string' && { content }),
    ...(typeof refusal === 'string' && refusal !== '' && { refusal }),
    ...(typeof thoughts === 'string' && { reasoning_content: thoughts }),
    ...(Array.isArray(tool_calls) && { tool_calls: toCalls(tool_calls) }),
  }
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  // of Anthropic, Gemini, Mistral and Z.ai
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['safety', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['recitation', 'content_filter'],
  ['sensitive', 'content_filter'],
])

/** Other reasons, such as `eos`, mean an ordinary end. */
function toFinishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return reasons.get(value.toLowerCase()) ?? 'stop'
}

/** Of OpenRouter, vLLM and SGLang, Z.ai, and DeepSeek. */
const faults: ReadonlySet<string> = new Set([
  'error',
  'abort',
  'network_error',
  'insufficient_system_resource',
])

/** Whether a `finish_reason` means that the completion broke off by a fault of the upstream. */
export function isFault(reason: unknown): boolean {
  return typeof reason === 'string' && faults.has(reason.toLowerCase())
}
