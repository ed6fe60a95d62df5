import { randomUUID } from 'node:crypto'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { FareboxError, type FareboxCall, type QueuedVideo, type Farebox } from 'farebox'
import type { Connection } from '../calls/connect.js'
import { CommandError } from '../command.js'
import { explain } from '../calls/explain.js'
import { rememberRepeatKey } from '../calls/paid-call.js'
import type { Folder } from './folder.js'
import { listFileFields, type OfferedTool } from './offered.js'
import type { CallOptions } from './protocol-server.js'
import { toToolResult, type ToolResult } from './tool-result.js'
import { estimatePrice, readStringField } from '../calls/estimate-price.js'

type Toolbox = {
  readonly tools: readonly OfferedTool[]
  /** The SDK with a caller that may call the operation. */
  readonly findConnection: (id: OperationId) => Connection
  readonly budget: Budget
  readonly folder: Folder | undefined
  /** Whether the person who started the server lets the model attest consent for them. */
  readonly mayConsent: boolean
}

type Input = Readonly<Record<string, unknown>>
type Methods = Readonly<
  Record<
    string,
    (input: unknown, options: { readonly signal: AbortSignal }) => FareboxCall<unknown>
  >
>

/**
 * Calls the tools of a server. The price of a call is reserved before it is sent. A failure becomes
 * a result that says what to do.
 */
export function createToolCaller({ tools, findConnection, budget, folder, mayConsent }: Toolbox) {
  const queued = new Map<string, QueuedVideo>()

  return async (name: string, toolArguments: Input, options: CallOptions): Promise<ToolResult> => {
    const { signal } = options
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined)
      return createToolError(
        `There is no tool ${JSON.stringify(name)}. The tools are: ${tools.map((one) => one.name).join(', ')}.`,
      )
    const connection = findConnection(tool.name)
    try {
      const input = await readInput(tool.name, toolArguments, connection, folder, mayConsent)
      const price = await estimatePrice(tool.name, input, connection.farebox, signal)
      // a file that cannot be created is rejected before anything is paid
      const saveAs = readStringField(toolArguments, 'saveAs')
      if (saveAs !== undefined && folder === undefined)
        throw new CommandError(
          'no_folder',
          'This server has no folder. Omit saveAs, or start it with --folder.',
        )
      const output = saveAs === undefined ? undefined : await folder?.create(saveAs)
      const reservation = await reserveOrClose(budget, price, tool.name, output?.remove)
      try {
        const result = await callOperation(tool.name, input, connection, queued, options)
        const repeatKey = readStringField(input, 'idempotencyKey')
        return await toToolResult(tool, result, { folder, output, repeatKey })
      } catch (error) {
        // a call whose response was lost may have been charged
        if (error instanceof FareboxError && !error.mayHaveArrived) reservation.release()
        await output?.remove()
        throw error
      }
    } catch (error) {
      const { message, advice } = explain(error, {
        isAborted: signal.aborted,
        caller: connection.as,
      })
      return createToolError(advice === undefined ? message : `${message}\n${toToolAdvice(advice)}`)
    }
  }
}

async function reserveOrClose(
  budget: Budget,
  price: number,
  what: string,
  remove: (() => Promise<void>) | undefined,
) {
  try {
    return budget.reserve(price, what)
  } catch (error) {
    await remove?.()
    throw error
  }
}

async function readInput(
  id: OperationId,
  toolArguments: Input,
  { address }: Connection,
  folder: Folder | undefined,
  mayConsent: boolean,
): Promise<Input> {
  const { saveAs: _saveAs, paymentSignature: _signature, ...input } = toolArguments
  if (input['consents'] !== undefined && !mayConsent) {
    throw new CommandError(
      'no_consent',
      'Only the responsible person can give consent, not a model. They can start this server with --consent.',
    )
  }
  const { maxFileBytes = {}, parameters, billing }: Operation = operations[id]
  const files = await Promise.all(
    listFileFields(id).map(
      async (field) =>
        [
          field,
          await readFileField(input, field, folder, maxFileBytes[field] ?? 25 * 1024 * 1024),
        ] as const,
    ),
  )
  const ownWallet =
    parameters.some(({ field }) => field === 'walletAddress') &&
    input['walletAddress'] === undefined &&
    address !== undefined
  const keyed =
    parameters.some(({ field }) => field === 'idempotencyKey') &&
    billing !== 'payment' &&
    input['idempotencyKey'] === undefined
  return {
    ...Object.fromEntries(Object.entries(input).filter(([name]) => !name.endsWith('Path'))),
    ...Object.fromEntries(files),
    // a result is whole, and a tool cannot give it piece by piece
    ...(input['stream'] === true && { stream: false }),
    ...(ownWallet && { walletAddress: address }),
    ...(keyed && { idempotencyKey: `farebox-mcp-${randomUUID()}` }),
  }
}

async function readFileField(
  input: Input,
  field: string,
  folder: Folder | undefined,
  maxBytes: number,
): Promise<Blob> {
  const path = readStringField(input, `${field}Path`)
  const base64 = input[field]
  if (path !== undefined && base64 === undefined) {
    if (folder === undefined)
      throw new CommandError(
        'no_folder',
        `This server has no folder. Pass ${field} as base64, or start it with --folder.`,
      )
    return new File(
      [new Uint8Array(await folder.read(path, maxBytes))],
      path.split(/[\\/]/).pop() ?? field,
    )
  }
  if (typeof base64 !== 'string' || path !== undefined) {
    throw new CommandError(
      'invalid_input',
      `Pass ${field} as base64${folder === undefined ? '' : `, or ${field}Path as a name in the folder, but not both`}.`,
    )
  }
  if (!/^[\w+/-]*={0,2}$/.test(base64))
    throw new CommandError(
      'invalid_input',
      `${field} is not base64; expected the bytes of a file in base64.`,
    )
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > maxBytes)
    throw new CommandError(
      'too_large',
      `${field} has ${bytes.length} bytes; at most ${maxBytes} are allowed.`,
    )
  return new File([bytes], field)
}

async function callOperation(
  id: OperationId,
  { wait, ...input }: Input,
  { farebox }: Connection,
  queued: Map<string, QueuedVideo>,
  options: CallOptions,
): Promise<unknown> {
  const { signal } = options
  const { billing }: Operation = operations[id]
  if (billing === 'payment')
    return (await farebox.topUp(Number(input['amountUsd']), { signal }).withResponse()).body
  const queueId = readStringField(input, 'queue_id')
  const video = queued.get(queueId ?? '')
  if (queueId !== undefined && wait === true) {
    return waitForVideo(
      farebox,
      video ?? { queue_id: queueId, model: readStringField(input, 'model') ?? '' },
      options,
    )
  }
  // the output schema of a tool describes the whole body
  const call = async () =>
    (await (farebox as unknown as Methods)[id]?.(input, { signal }).withResponse())?.body
  const result = await rememberRepeatKey(readStringField(input, 'idempotencyKey') ?? '', call)
  if (billing === 'quote') queued.set((result as QueuedVideo).queue_id, result as QueuedVideo)
  // a video at a download URL: the service returned the URL when the video was queued
  const isThere =
    typeof result === 'object' &&
    result !== null &&
    'status' in result &&
    result.status === 'COMPLETED'
  return video?.download_url !== undefined && isThere
    ? waitForVideo(farebox, video, options)
    : result
}

function createToolError(text: string): ToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Translates advice for the command line to advice for a tool. */
function toToolAdvice(advice: string): string {
  return advice
    .replaceAll('--idempotency-key', 'idempotencyKey')
    .replaceAll('farebox balance', 'getBalance')
    .replaceAll('farebox top-up 10', 'topUp')
    .replaceAll('farebox voices', 'getModel')
}

/**
 * Waits for a queued video and returns it, unread. The progress is in seconds since the call, as it
 * has to grow with each notification (Model Context Protocol, progress).
 */
function waitForVideo(
  farebox: Pick<Farebox, 'generateVideo'>,
  video: QueuedVideo,
  { signal, onProgress }: CallOptions,
): Promise<Response> {
  const start = performance.now()
  return farebox.generateVideo(video, {
    signal,
    onProgress: (step) => {
      const progress = (performance.now() - start) / 1000
      if (step.stage === 'downloading')
        onProgress?.({ progress, message: `downloading: ${step.receivedBytes} bytes` })
      if (step.stage !== 'processing') return
      const total = progress + Math.max(0, step.averageMs - step.elapsedMs) / 1000
      onProgress?.({
        progress,
        message: step.status.toLowerCase(),
        ...(total > progress && { total }),
      })
    },
  })
}

/** The amount that the tools may spend. */
type Budget = {
  /**
   * Reserves a price before anything is sent, so that parallel calls cannot spend the same dollar.
   * Throws `CommandError` beyond a cap. Release a price only if it was certainly not charged.
   */
  readonly reserve: (usd: number, what: string) => { readonly release: () => void }
  readonly spentUsd: () => number
}

type Caps = { readonly maxUsdPerCall: number; readonly maxUsd: number }

/** Counts in whole micro-USD, like the service: sums of fractions would drift. */
export function createBudget({ maxUsdPerCall, maxUsd }: Caps): Budget {
  const [perCall, total] = [toMicroUsd(maxUsdPerCall), toMicroUsd(maxUsd)]
  let spentMicroUsd = 0
  return {
    reserve: (usd, what) => {
      const price = toMicroUsd(usd)
      if (!Number.isSafeInteger(price) || price < 0)
        throw new CommandError(
          'price_unknown',
          `${what}: its price is unknown, so nothing was sent.`,
        )
      if (price > perCall) {
        throw new CommandError(
          'over_call_cap',
          `${what} costs ${usd} USD, more than the ${maxUsdPerCall} USD that one call may cost (--max-usd-per-call). Nothing was sent.`,
        )
      }
      if (spentMicroUsd + price > total) {
        throw new CommandError(
          'over_total_cap',
          `${what} costs ${usd} USD, and of the ${maxUsd} USD that may be spent (--max-usd) ${(total - spentMicroUsd) / 1e6} are left. Nothing was sent.`,
        )
      }
      spentMicroUsd += price
      let isReleased = false
      return {
        release: () => {
          if (!isReleased) spentMicroUsd -= price
          isReleased = true
        },
      }
    },
    spentUsd: () => spentMicroUsd / 1e6,
  }
}

/** Rounds up, so that a cap is not exceeded by a fraction. */
function toMicroUsd(usd: number): number {
  return Math.ceil(Math.round(usd * 1e9) / 1e3)
}
