import { countTokens } from '../text/count-tokens.js'
import type { ChatContentPart, ChatMessage, ChatRequest } from './chat-backend.js'

/** Templates of chat models add so many tokens at most, for themselves and for each message. */
const perRequest = 256
const perMessage = 16
const perPart = 8

/**
 * The most tokens of a prompt without its media, whatever tokenizer the model has: each token of
 * a text has one byte of UTF-8 at least. Templates write tools and schemas with white space.
 */
export function boundPrompt(request: ChatRequest): number {
  let tokens = perRequest
  for (const message of request.messages) {
    tokens += perMessage
    for (const text of listTexts(message)) tokens += perPart + Buffer.byteLength(text)
  }
  const { messages: _messages, ...others } = request
  for (const value of Object.values(others))
    if (typeof value === 'object' && value !== null)
      tokens += perRequest + 2 * Buffer.byteLength(JSON.stringify(value))
  return tokens
}

/** The tokens of a prompt without its media, by our tokenizer. */
export function countPrompt({ messages, tools, response_format: format }: ChatRequest): number {
  const schemas = [tools, format].flatMap((one) => (one === undefined ? [] : [JSON.stringify(one)]))
  const texts = [...messages.flatMap(listTexts), ...schemas]
  return 3 + 4 * messages.length + texts.reduce((sum, text) => sum + countTokens(text), 0)
}

function listTexts(message: ChatMessage): readonly string[] {
  const { content, name, refusal, tool_calls: calls, tool_call_id: id } = message
  const thoughts = (message as { readonly reasoning_content?: string | null }).reasoning_content
  return [
    ...(typeof content === 'string' ? [content] : (content ?? []).map(readPart)),
    ...(calls ?? []).flatMap((call) => [call.id, call.function.name, call.function.arguments]),
    name,
    refusal,
    thoughts,
    id,
  ].filter((text): text is string => typeof text === 'string' && text !== '')
}

function readPart(part: ChatContentPart): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : undefined
}
