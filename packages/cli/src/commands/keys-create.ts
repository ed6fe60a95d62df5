import type { CreateApiKeyInput } from '@farebox/client'
import type { Context, Run } from '../command.js'
import { allowedCallers, connect } from '../connect.js'
import { mayRepeat } from '../may-repeat.js'
import { askOperator } from '../operator.js'
import { paidCall } from '../paid-call.js'
import { readKeyFields } from './key-fields.js'
import { showSecret, type Shown } from './secret-output.js'

/** With an ADMIN key for its own account, or for any account as the operator. */
export const keysCreate: Run = (context) =>
  showSecret(context, () =>
    context.arguments.text('account') === undefined ? asCaller(context) : asOperator(context),
  )

async function asCaller(context: Context): Promise<Shown> {
  const { farebox } = await connect(context, allowedCallers('createApiKey'))
  const { idempotencyKey, options } = paidCall(context)
  const all = await mayRepeat(idempotencyKey, () =>
    farebox.createApiKey(readInput(context), options),
  )
  const { apiKey: secret, ...others } = all
  return { secret, summary: `${all.apiKeyType} key ${all.id}`, others, all }
}

async function asOperator(context: Context): Promise<Shown> {
  const body = { ...readInput(context), account: context.arguments.text('account') }
  const all = await askOperator<{
    readonly id: string
    readonly apiKeyType: string
    readonly secret: string
  }>(context, {
    method: 'POST',
    path: '/keys',
    body,
  })
  const { secret, ...others } = all
  return { secret, summary: `${all.apiKeyType} key ${all.id}`, others, all }
}

function readInput(context: Context): CreateApiKeyInput {
  const fields = readKeyFields(context)
  return {
    // the contract refuses other values, and names those that it accepts
    apiKeyType: (context.arguments.text('type') ?? 'INFERENCE') as CreateApiKeyInput['apiKeyType'],
    description: 'farebox keys create',
    ...(fields as Partial<CreateApiKeyInput>),
  }
}
