/** The encoding in which a model counts tokens. */
export type Tokenizer = {
  readonly encode: (text: string) => readonly number[]
  readonly decode: (tokens: readonly number[]) => string
}

/** Tokens that are sent together: several where one holds a part of a character. */
export type TokenPiece = { readonly text: string; readonly tokens: number }

/**
 * Splits a text into tokens, up to a limit. Together the pieces are the text or its beginning. If
 * the limit cuts a character, the last piece has its tokens and no text.
 */
export function splitTokens(
  tokenizer: Tokenizer,
  content: string,
  limit: number,
): { readonly pieces: readonly TokenPiece[]; readonly isWhole: boolean } {
  // halves of characters have no encoding
  const text = Buffer.from(content).toString()
  const tokens = tokenizer.encode(text)
  const pieces: TokenPiece[] = []
  let at = 0
  let pending: number[] = []
  for (const token of tokens.slice(0, limit)) {
    pending.push(token)
    const piece = tokenizer.decode(pending)
    // an incomplete character is decoded to a replacement character
    if (piece === '' || !text.startsWith(piece, at)) continue
    pieces.push({ text: piece, tokens: pending.length })
    at += piece.length
    pending = []
  }
  if (pending.length > 0) pieces.push({ text: '', tokens: pending.length })
  return { pieces, isWhole: tokens.length <= limit }
}

export type LocalChatRequest = {
  readonly messages: readonly LocalChatMessage[]
  readonly tools?: readonly LocalChatTool[]
  readonly tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { readonly function: { readonly name: string } }
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: { readonly schema?: unknown }
  }
  readonly stop?: string | readonly string[] | null
  readonly logprobs?: boolean | null
  readonly top_logprobs?: number | null
}

type LocalChatMessage = {
  readonly role: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null
}

export type LocalChatTool = {
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: unknown
  }
}

/** Characters of a message that are repeated. */
const longestEcho = 12_000

/** The reply of the model, which describes its input. */
export function writeReply(
  model: string,
  { messages }: LocalChatRequest,
  { index, n }: { readonly index: number; readonly n: number },
): string {
  const last = messages.at(-1)
  const text = last ? readText(last) : ''
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const media = last ? countMedia(last) : 0
  const source = last?.role === 'tool' ? 'The tool returned' : 'You wrote'
  return [
    `I am ${model}, a test model that repeats what it is sent.`,
    ...(n > 1 ? [`This is completion ${index + 1} of ${n}.`] : []),
    ...(instructions.length > 0
      ? [
          `My instructions have ${pluralize(countWords(instructions.map(readText).join(' ')), 'word')}.`,
        ]
      : []),
    ...(media > 0 ? [`Your message has ${pluralize(media, 'attachment')}.`] : []),
    `${source}: ${text.slice(0, longestEcho)}`,
  ].join(' ')
}

/**
 * The tool to call: the one that the caller chose, or with `auto` the one whose name and
 * description share most words with the message of the user.
 */
export function chooseTool({
  tools = [],
  tool_choice: choice = 'auto',
  messages,
}: LocalChatRequest): LocalChatTool | undefined {
  if (choice === 'none') return undefined
  if (typeof choice === 'object')
    return tools.find(({ function: { name } }) => name === choice.function.name)
  const last = messages.at(-1)
  const questionWords = last?.role === 'user' ? toWords(readText(last)) : new Set<string>()
  const ranked = tools
    .map((tool) => ({ tool, score: countShared(tool, questionWords) }))
    .toSorted((one, other) => other.score - one.score)
  const [best] = ranked
  return choice === 'required' || (best?.score ?? 0) > 0 ? best?.tool : undefined
}

function countShared(
  { function: { name, description = '' } }: LocalChatTool,
  questionWords: ReadonlySet<string>,
): number {
  return [...toWords(`${name} ${description}`)].filter((word) => questionWords.has(word)).length
}

/** Words of four letters at least, as shorter ones are in every sentence. */
function toWords(text: string): ReadonlySet<string> {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return new Set(apart.match(/\p{L}{4,}/gu))
}

function readText({ content }: LocalChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n')
}

function countMedia({ content }: LocalChatMessage): number {
  if (typeof content === 'string') return 0
  return (content ?? []).filter(({ text, type }) => text === undefined && type !== 'refusal').length
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
