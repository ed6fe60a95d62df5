import { countTokens } from '../text/count-tokens.js'
import type { ChatMessage, ChatRequest } from './chat-backend.js'

/** The marks around each message: its beginning, its role, its end. */
const tokensOfMessage = 4
/** The beginning of the reply. */
const tokensOfReply = 3

/**
 * Tokens of the text of a conversation, its tools and its response format. Media have no text, and
 * are not counted.
 */
export function countPromptTokens({
  messages,
  tools,
  response_format: format,
}: ChatRequest): number {
  const ofMessages = messages.reduce((sum, message) => sum + countMessage(message), tokensOfReply)
  const ofTools = tools && tools.length > 0 ? countTokens(JSON.stringify(tools)) : 0
  const ofFormat = format?.type === 'json_schema' ? countTokens(JSON.stringify(format)) : 0
  return ofMessages + ofTools + ofFormat
}

function countMessage({ content, name, refusal, tool_calls: calls }: ChatMessage): number {
  const texts = [
    ...(typeof content === 'string' ? [content] : (content ?? []).map(readPart)),
    name ?? '',
    refusal ?? '',
    ...(calls ?? []).flatMap(({ function: { name: tool, arguments: values } }) => [tool, values]),
  ]
  return texts.reduce((sum, text) => sum + (text === '' ? 0 : countTokens(text)), tokensOfMessage)
}

function readPart(
  part: Exclude<ChatMessage['content'], string | null | undefined>[number],
): string {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : ''
}
