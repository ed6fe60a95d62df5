import { isRecord } from '../../platform/unknown-value.js'
import type { ChatDelta, ChoiceDelta, FinishReason } from './chat-backend.js'
import { readUsage, toCount } from './read-usage.js'
import type { ToolCallReader } from './tool-calls.js'

/** The choices and the usage, without what has an unexpected type. */
export function toDelta(
  value: Readonly<Record<string, unknown>>,
  field: 'delta' | 'message',
  toolCalls: ToolCallReader,
): ChatDelta {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isRecord) : []
  const usage = readUsage(value['usage'])
  return {
    choices: choices.map((choice, place): ChoiceDelta => {
      const { finish_reason, logprobs } = choice
      const given = choice[field]
      const index = toCount(choice['index']) ?? place
      const delta = toMessage(isRecord(given) ? given : {}, (calls) => toolCalls.read(index, calls))
      const reason = toFinishReason(finish_reason)
      return {
        index,
        delta,
        // Gemini and xAI call it a stop
        finish_reason: reason === 'stop' && toolCalls.hasCall(index) ? 'tool_calls' : reason,
        ...(isRecord(logprobs) && { logprobs }),
      }
    }),
    ...(usage && { usage }),
  }
}

/** Whether a delta has a part of a completion, and not only its role. */
export function hasContent({ choices }: ChatDelta): boolean {
  return choices.some(
    ({ delta, finish_reason }) =>
      typeof finish_reason === 'string' || Object.values(delta).some((value) => value !== ''),
  )
}

function toMessage(
  given: Readonly<Record<string, unknown>>,
  toCalls: (pieces: readonly unknown[]) => ChoiceDelta['delta']['tool_calls'] & object,
): ChoiceDelta['delta'] {
  const { refusal, tool_calls, reasoning_content, reasoning } = given
  const content = readText(given['content'], 'text')
  const thoughts =
    readText(reasoning_content, 'text') ??
    readText(reasoning, 'text') ??
    readText(given['content'], 'thinking')
  return {
    ...(content !== undefined && { content }),
    ...(typeof refusal === 'string' && refusal !== '' && { refusal }),
    ...(thoughts !== undefined && { reasoning_content: thoughts }),
    // vLLM sends an empty list with each piece of text
    ...(Array.isArray(tool_calls) && tool_calls.length > 0 && { tool_calls: toCalls(tool_calls) }),
  }
}

/** A text, or the texts of the parts of a type, as Mistral sends them. */
function readText(value: unknown, type: 'text' | 'thinking'): string | undefined {
  if (typeof value === 'string') return type === 'text' ? value : undefined
  const parts = Array.isArray(value) ? value.filter(isRecord) : []
  const texts = parts
    .filter((part) => part['type'] === type)
    .flatMap((part) => readText(part[type], 'text') ?? [])
  return texts.length === 0 ? undefined : texts.join('')
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
