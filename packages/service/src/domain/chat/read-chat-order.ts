import { operations } from '@farebox/types/operations'
import { FileError } from '../../platform/workers/worker-task.js'
import { isDataUrl } from '../media/inspect-media.js'
import type { MediaReader } from '../media/media-reader.js'
import type { TextModel } from '../models/text-models.js'
import { countTokens } from '../text/count-tokens.js'
import type { ChatContentPart, ChatRequest, ChatMessage } from './chat-backend.js'

/** A request that a model can do. */
export type ChatOrder = {
  readonly model: TextModel
  /** Without the fields that only concern the service. */
  readonly request: ChatRequest
  readonly n: number
  /** Tokens of one completion at most. */
  readonly limit: number
  /** Whether the caller asked for the limit. Otherwise it may be lowered. */
  readonly isLimitGiven: boolean
  /** The most tokens of the prompt. */
  readonly promptBound: number
  /** The tokens of the prompt by our tokenizer. */
  readonly countPrompt: () => number
}

/** The fault of a field. */
export type OrderFault = { readonly field: string; readonly fault: string }

export type ChatInput = Readonly<Record<string, unknown>> & {
  readonly messages: ChatRequest['messages']
}

/** Fields that are not sent on. The service acts on some, and the others name the caller. */
const handledFields: ReadonlySet<string> = new Set([
  'model',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'user',
  'metadata',
  'store',
])

const contractFields: ReadonlySet<string> = new Set(operations.createChatCompletion.body.fields)

/** The fields of a request that are not in the contract. Null means that a field is not set. */
export function listExtraFields(request: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(request).filter((name) => !contractFields.has(name) && request[name] !== null)
}

type Media = { readonly reader: MediaReader; readonly caller: string }

type ChatOrderOptions = Media & {
  readonly model: TextModel
  /** Fields that are not in the contract, and that a backend takes. */
  readonly extraFields: ReadonlySet<string>
}

/** Checks a request against its model. Its fields are valid by themselves. */
export async function readChatOrder(
  given: ChatInput,
  { model, extraFields, ...media }: ChatOrderOptions,
): Promise<ChatOrder | OrderFault> {
  const unknown = listExtraFields(given).find((name) => !extraFields.has(name))
  if (unknown !== undefined) {
    const fault = `${model.id} has no such field here. Leave it out, or ask the operator for it.`
    return { field: unknown.slice(0, 100), fault }
  }
  const request = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !handledFields.has(name) && value !== null),
  ) as ChatRequest
  const fault = findFault(given, request)
  if (fault) return fault
  const counted = await countMedia(request, model, media)
  if (typeof counted !== 'number') return counted

  const bound = boundPrompt(request)
  let exact: number | undefined
  const count = () => (exact ??= Math.min(bound, countPrompt(request)) + counted)
  const { contextTokens, maxCompletionTokens } = model
  const least = bound + counted < contextTokens ? bound + counted : count()
  if (least >= contextTokens)
    return {
      field: 'messages',
      fault: `The prompt has about ${least} tokens; the context of ${model.id} has ${contextTokens}.`,
    }
  const asked = given['max_completion_tokens'] ?? given['max_tokens']
  if (typeof asked === 'number' && asked > maxCompletionTokens) {
    const field =
      typeof given['max_completion_tokens'] === 'number' ? 'max_completion_tokens' : 'max_tokens'
    return { field, fault: `${model.id} takes at most ${maxCompletionTokens}, found ${asked}.` }
  }
  const room =
    contextTokens - (bound + counted + maxCompletionTokens <= contextTokens ? 0 : count())
  return {
    model,
    request,
    n: typeof given['n'] === 'number' ? given['n'] : 1,
    limit: typeof asked === 'number' ? asked : Math.min(maxCompletionTokens, room),
    isLimitGiven: typeof asked === 'number',
    promptBound: bound + counted,
    countPrompt: count,
  }
}

/** The first contradiction between fields. */
function findFault(given: ChatInput, request: ChatRequest): OrderFault | undefined {
  const { max_tokens: older, max_completion_tokens: newer } = given
  if (typeof older === 'number' && typeof newer === 'number' && older !== newer)
    return { field: 'max_tokens', fault: `Found ${older}, and ${newer} as max_completion_tokens.` }
  const { tools = [], tool_choice: choice, logprobs, top_logprobs: top } = request
  if (typeof top === 'number' && logprobs !== true)
    return { field: 'top_logprobs', fault: 'Expected `logprobs: true` with it.' }
  if (
    typeof choice === 'object' &&
    !tools.some((tool) => tool.function.name === choice.function.name)
  )
    return {
      field: 'tool_choice',
      fault: `There is no tool ${choice.function.name.slice(0, 64)} in \`tools\`.`,
    }
  if (choice === 'required' && tools.length === 0)
    return { field: 'tool_choice', fault: 'Expected `tools` with it.' }
  const calls = new Set<string>()
  for (const [index, message] of request.messages.entries()) {
    for (const { id } of message.tool_calls ?? []) calls.add(id)
    if (message.role === 'tool' && !calls.has(message.tool_call_id ?? ''))
      return {
        field: 'messages',
        fault: `${index}: There is no tool call ${(message.tool_call_id ?? '').slice(0, 64)} before this message of role tool.`,
      }
  }
  return undefined
}

/** The most tokens of images, audio and video, or the fault of one. */
async function countMedia(
  { messages }: ChatRequest,
  model: TextModel,
  media: Media,
): Promise<number | OrderFault> {
  let tokens = 0
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [place, part] of (content as readonly ChatContentPart[]).entries()) {
      const at = (fault: string) => ({
        field: 'messages',
        fault: `${index}.content.${place}: ${fault}`,
      })
      if (part.type === 'text' || part.type === 'refusal') continue
      const url = readUrl(part)
      const [kind, price] = findPartPrice(part, model)
      if (price === undefined) return at(`${model.id} takes no ${kind}.`)
      if (url !== undefined && !isDataUrl(url))
        return at('Expected a data URL: the service fetches no other URL.')
      try {
        tokens += price * (await countUnits(part, media))
      } catch (error) {
        if (!(error instanceof FileError) || error.code === 'overloaded') throw error
        return at(error.message)
      }
    }
  }
  return tokens
}

type Medium = Exclude<ChatContentPart, { readonly type: 'text' | 'refusal' }>

function readUrl(part: Medium): string | undefined {
  if (part.type === 'image_url') return part.image_url.url
  return part.type === 'video_url' ? part.video_url.url : undefined
}

function findPartPrice(part: Medium, model: TextModel): readonly [string, number | undefined] {
  if (part.type === 'image_url') return ['images', model.tokensPerImage]
  if (part.type === 'input_audio') return ['audio', model.tokensPerAudioSecond]
  return ['videos', model.tokensPerVideoSecond]
}

/** Images, or seconds, which are rounded up. */
async function countUnits(part: Medium, { reader, caller }: Media): Promise<number> {
  if (part.type === 'image_url') return 1
  if (part.type === 'video_url')
    return Math.ceil(await reader.lengthOfVideo(part.video_url.url, caller))
  const bytes = Buffer.from(part.input_audio.data, 'base64')
  return Math.ceil((await reader.readAudio(new Uint8Array(bytes), caller)).seconds)
}

/** Templates of chat models add so many tokens at most, for themselves and for each message. */
const perRequest = 256
const perMessage = 16
const perPart = 8

/**
 * The most tokens of a prompt without its media, whatever tokenizer the model has: each token has
 * at least one byte of UTF-8. Templates write tools and schemas with white space.
 */
export function boundPrompt(request: ChatRequest): number {
  let tokens = perRequest
  for (const message of request.messages) {
    tokens += perMessage
    for (const text of listStrings(message)) tokens += perPart + Buffer.byteLength(text)
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
  const texts = [...messages.flatMap(listStrings), ...schemas]
  return 3 + 4 * messages.length + texts.reduce((sum, text) => sum + countTokens(text), 0)
}

function listStrings(message: ChatMessage): readonly string[] {
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
