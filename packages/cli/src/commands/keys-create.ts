import type { CreateApiKeyInput } from '@farebox/client'
import type { Context, Run } from '../command.js'
import { callersOf, connect } from '../connect.js'
import { mayRepeat } from '../explain.js'
import { openOutput } from '../output-file.js'
import { paidCall } from '../paid-call.js'
import { note, printJson, printLine } from '../terminal.js'

/**
 * Prints only the secret to stdout, so that a script can read it. Everything else goes to stderr.
 */
export const keysCreate: Run = async (context) => {
  const { arguments: given, terminal } = context
  const { farebox } = await connect(context, callersOf('createApiKey'))
  const path = given.text('output')
  const output = path === undefined ? undefined : await openOutput(path, 0o600)
  const { idempotencyKey, options } = paidCall(context)
  try {
    const { data } = await mayRepeat(idempotencyKey, () => farebox.createApiKey({ ...inputOf(context), idempotencyKey }, options))
    const { apiKey, ...others } = data
    if (output !== undefined) await output.write(lineOf(apiKey))
    note(terminal, `${data.apiKeyType} key ${data.id}${path === undefined ? ', shown this once' : `, in ${path}`}`)
    if (given.has('json')) await printJson(terminal, path === undefined ? data : { ...others, file: path })
    else if (path === undefined) await printLine(terminal, apiKey)
    return 0
  } finally {
    await output?.abandon()
  }
}

function inputOf({ arguments: given }: Context): CreateApiKeyInput {
  const [usd, diem] = [given.number('limit-usd', 0), given.number('limit-diem', 0)]
  const [period, expires] = [given.text('period'), given.text('expires')]
  const consumptionLimit = { ...(usd !== undefined && { usd }), ...(diem !== undefined && { diem }) }
  return {
    // the contract refuses other values, and names those that it accepts
    apiKeyType: (given.text('type') ?? 'INFERENCE') as CreateApiKeyInput['apiKeyType'],
    description: given.text('description') ?? 'farebox keys create',
    ...(Object.keys(consumptionLimit).length > 0 && { consumptionLimit }),
    ...(period !== undefined && { limitPeriod: period as NonNullable<CreateApiKeyInput['limitPeriod']> }),
    ...(expires !== undefined && { expiresAt: expires }),
  }
}

async function* lineOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(`${text}\n`)
}
