import { createHash } from 'node:crypto'
import { setTimeout as realSleep } from 'node:timers/promises'
import type { TaskThread } from '../tasks/task-thread.js'
import {
  splitTokens,
  type TokenPiece,
  type Tokenizer,
  chooseTool,
  writeReply,
  type LocalChatRequest,
  type LocalChatTool,
} from './write-reply.js'

export type LocalChatTask = {
  readonly model: string
  /** Who pays, for fair shares. */
  readonly caller: string
  readonly request: LocalChatRequest
  /** Completions to make. */
  readonly n: number
  /** Tokens of one completion at most. It ends with `length` there. */
  readonly maxTokens: number
}

/** The next piece of the completions, as one chunk of OpenAI's stream. */
export type LocalChatPiece = {
  /** Empty for the last piece, which has the count. */
  readonly choices: readonly LocalChoice[]
  /** Of all completions, on the last piece. */
  readonly completionTokens?: number
}

type LocalChoice = {
  readonly index: number
  readonly delta: {
    readonly role?: 'assistant'
    readonly content?: string
    readonly tool_calls?: readonly {
      readonly index: number
      readonly id?: string
      readonly type?: 'function'
      readonly function?: { readonly name?: string; readonly arguments?: string }
    }[]
  }
  /** On the last piece of the choice. */
  readonly finish_reason?: 'stop' | 'length' | 'tool_calls'
  readonly logprobs?: { readonly content: readonly LocalLogprob[]; readonly refusal: null }
}

type LocalLogprob = {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[]
  readonly top_logprobs: readonly Omit<LocalLogprob, 'top_logprobs'>[]
}

export type LocalChat = {
  /**
   * The pieces of `n` completions, each when the consumer asks for it. Ends early when the signal
   * aborts, with the count so far. Throws a LocalBackendError.
   */
  readonly complete: (task: LocalChatTask, signal: AbortSignal) => AsyncIterable<LocalChatPiece>
}

export type LocalChatOptions = {
  readonly tokenizer: Tokenizer
  /** Makes values for JSON schemas. */
  readonly thread: Pick<TaskThread, 'run'>
  /** Between two tokens of a completion. Default: 4. */
  readonly tokenMs?: number
  readonly sleep?: (ms: number) => Promise<unknown>
}

/** A completion that is written, and sent token by token. */
type Completion = {
  readonly index: number
  readonly pieces: readonly TokenPiece[]
  readonly tool?: { readonly id: string; readonly name: string }
  readonly finish: 'stop' | 'length' | 'tool_calls'
  sent: number
}

/**
 * A chat model for tests. It is deterministic, counts its tokens, and obeys stop sequences, limits,
 * tools and response formats. It repeats its input and understands nothing.
 */
export function createLocalChat(options: LocalChatOptions): LocalChat {
  const { tokenizer, thread, tokenMs = 4, sleep = (ms: number) => realSleep(ms) } = options

  return {
    async *complete(task, signal) {
      const { request, n } = task
      const all = await Promise.all(
        Array.from({ length: n }, (_, index) => write(task, index, signal)),
      )
      yield* send(all, request, signal)
    },
  }

  /** Sends completions token by token, in turns. */
  async function* send(
    all: readonly Completion[],
    request: LocalChatRequest,
    signal: AbortSignal,
  ): AsyncGenerator<LocalChatPiece> {
    let completionTokens = 0
    let open = all
    for (const { index, tool } of all) yield { choices: [{ index, delta: begin(tool) }] }
    while (open.length > 0 && !signal.aborted) {
      await sleep(tokenMs)
      for (const completion of open) {
        if (signal.aborted) break
        const piece = completion.pieces[completion.sent++]
        completionTokens += piece?.tokens ?? 0
        const choice = piece ? toChoice(completion, piece, request) : toEnd(completion)
        if (piece?.text !== '') yield { choices: [choice] }
      }
      open = open.filter(({ sent, pieces }) => sent <= pieces.length)
    }
    yield { choices: [], completionTokens }
  }

  /** Writes a completion, before its first token is sent. */
  async function write(
    { model, request, n, maxTokens, caller }: LocalChatTask,
    index: number,
    signal: AbortSignal,
  ): Promise<Completion> {
    const seed = digest(JSON.stringify([request, index]))
    const sample = (schema: unknown, field: string) =>
      thread.run(caller, { kind: 'sample', schema, seed: seed.readUInt32LE(), field }, signal)
    const tool = chooseTool(request)
    const isTool = tool !== undefined
    const text = isTool
      ? await sample(toObjectSchema(tool), `tools.${tool.function.name}.parameters`)
      : await writeContent(model, request, { index, n }, sample)
    const replyText = isTool ? text : cutAtStop(text, request.stop)
    const { pieces, isWhole } = splitTokens(tokenizer, replyText, maxTokens)
    const toolChoice = isTool && { tool: { id: toCallId(seed), name: tool.function.name } }
    const finish = isWhole ? (isTool ? 'tool_calls' : 'stop') : 'length'
    return { index, pieces, ...toolChoice, finish, sent: 0 }
  }
}

/** Arguments are an object even if the schema does not say so. */
function toObjectSchema({ function: { parameters } }: LocalChatTool): unknown {
  if (parameters === undefined || parameters === null) return { type: 'object', maxProperties: 0 }
  return isRecord(parameters) && !('type' in parameters)
    ? { type: 'object', ...parameters }
    : parameters
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function writeContent(
  model: string,
  request: LocalChatRequest,
  which: { readonly index: number; readonly n: number },
  sample: (schema: unknown, field: string) => Promise<string>,
): Promise<string> {
  const { response_format: format } = request
  if (format?.type === 'json_schema')
    return sample(format.json_schema?.schema ?? {}, 'response_format.json_schema.schema')
  const reply = writeReply(model, request, which)
  return format?.type === 'json_object' ? JSON.stringify({ model, reply }) : reply
}

function begin(tool: Completion['tool']): LocalChoice['delta'] {
  if (!tool) return { role: 'assistant', content: '' }
  const { id, name } = tool
  return {
    role: 'assistant',
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }],
  }
}

function toChoice(
  { index, tool }: Completion,
  piece: TokenPiece,
  { logprobs, top_logprobs: top }: LocalChatRequest,
): LocalChoice {
  const { text } = piece
  if (tool) return { index, delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }
  // it is certain of each token
  const certain = { token: text, logprob: 0, bytes: [...Buffer.from(text)] }
  const content = [{ ...certain, top_logprobs: (top ?? 0) > 0 ? [certain] : [] }]
  return {
    index,
    delta: { content: text },
    ...(logprobs === true && { logprobs: { content, refusal: null } }),
  }
}

function toEnd({ index, finish }: Completion): LocalChoice {
  return { index, delta: {}, finish_reason: finish }
}

/** The text before the stop sequence that comes first. */
function cutAtStop(text: string, stop: LocalChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((one) => one !== '')
  const ends = sequences.map((one) => text.indexOf(one)).filter((end) => end >= 0)
  return text.slice(0, Math.min(text.length, ...ends))
}

function toCallId(seed: Buffer): string {
  return `call_${seed.toString('hex').slice(0, 24)}`
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
