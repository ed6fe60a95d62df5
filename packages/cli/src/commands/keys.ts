import type { CreateApiKeyInput } from '@farebox/client'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { callOperatorApi, type Key, openKeySource } from '../calls/key-source.js'
import { rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { type Context, type CommandHandler, UsageError } from '../command.js'
import { printJson, note, printLine, formatTable } from '../io/terminal.js'
import { openOutput, readOutputPath } from '../io/output-file.js'

type Usage = {
  readonly day: string
  readonly model: string | null
  readonly calls: number
  readonly refunds: number
  readonly usd: number
  readonly dailyCredit: number
}

export const keysList: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const [account, state] = [args.text('account'), args.text('state')]
  const source = await openKeySource(context)
  const { keys, hasMore } = await source.list({
    ...(account !== undefined && { account }),
    ...(state !== undefined && { state }),
  })
  if (hasMore) note(terminal, 'These are the newest 500. Use --account or --state for the others.')
  if (args.has('json')) await printJson(terminal, keys)
  else await printLine(terminal, formatKeys(keys))
  return 0
}

export const keysShow: CommandHandler = async (context) =>
  show(context, await (await openKeySource(context)).read(readId(context)))

export const keysLimit: CommandHandler = async (context) => {
  const { arguments: args } = context
  const change = {
    ...readKeyFields(context),
    ...(args.has('no-limit') && { consumptionLimit: null }),
    ...(args.has('no-expiry') && { expiresAt: null }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change: pass a limit, --period, --expires or --description.')
  return show(context, await (await openKeySource(context)).change(readId(context), change))
}

export const keysRotate: CommandHandler = (context) =>
  showSecret(context, async () => {
    const graceSeconds = context.arguments.integer('grace', 0, 2_592_000) ?? 0
    const { id, ...rotated } = await (
      await openKeySource(context)
    ).rotate(readId(context), graceSeconds)
    return { ...rotated, summary: `a new secret of key ${id}` }
  })

export const keysRevoke: CommandHandler = async (context) =>
  show(context, await (await openKeySource(context)).revoke(readId(context)))

export const keysUsage: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const query = { days: String(args.integer('days', 1, 366) ?? 30) }
  const { usage } = await callOperatorApi<{ readonly usage: readonly Usage[] }>(context, {
    method: 'GET',
    path: `/keys/${encodeURIComponent(readId(context))}/usage`,
    query,
  })
  const rows = usage.map(({ day, model, calls, refunds, usd, dailyCredit }) => [
    day,
    model ?? '-',
    String(calls),
    String(refunds),
    usd.toFixed(6),
    dailyCredit.toFixed(6),
  ])
  if (args.has('json')) await printJson(terminal, usage)
  else
    await printLine(
      terminal,
      formatTable([['DAY', 'MODEL', 'CALLS', 'REFUNDS', 'USD', 'DAILY CREDIT'], ...rows]),
    )
  return 0
}

function readId({ arguments: { operands } }: Context): string {
  return operands[0] ?? ''
}

/** Only the operator gets a column of accounts. */
function formatKeys(keys: readonly Key[]): string {
  const hasAccounts = keys.some(({ account }) => account !== undefined)
  const row = (id: string, account: string, ...others: readonly string[]) => [
    id,
    ...(hasAccounts ? [account] : []),
    ...others,
  ]
  const rows = keys.map((key) =>
    row(
      key.id,
      key.account ?? '',
      key.apiKeyType,
      key.state,
      key.lastUsedAt ?? 'never',
      formatLimit(key),
      key.description,
    ),
  )
  return formatTable([
    row('ID', 'ACCOUNT', 'TYPE', 'STATE', 'LAST USED', 'LIMIT', 'DESCRIPTION'),
    ...rows,
  ])
}

async function show({ arguments: args, terminal }: Context, key: Key): Promise<number> {
  if (args.has('json')) {
    await printJson(terminal, key)
    return 0
  }
  const fact = (name: string, value: string | undefined): readonly string[][] =>
    value === undefined ? [] : [[name, value]]
  await printLine(
    terminal,
    formatTable([
      ['id', key.id],
      ...fact('account', key.account),
      ['type', key.apiKeyType],
      ['state', key.state],
      ['description', key.description],
      ['limit', formatLimit(key)],
      ['consumed', `${key.consumed.usd} USD, ${key.consumed.diem} diem`],
      ['created by', key.madeBy ?? 'the operator'],
      ['created', key.createdAt],
      ...fact('expires', key.expiresAt),
      ...fact('rotated', key.rotatedAt),
      ...fact('old secret until', key.previousSecretUntil),
      ...fact('revoked', key.revokedAt),
      ['last used', key.lastUsedAt ?? 'never'],
    ]),
  )
  return 0
}

function formatLimit({ consumptionLimit, limitPeriod }: Key): string {
  const parts = Object.entries(consumptionLimit).map(
    ([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`,
  )
  return parts.length === 0 ? 'none' : `${parts.join(', ')} (${limitPeriod})`
}

/** With an ADMIN key for its own account, or for any account as the operator. */
export const keysCreate: CommandHandler = (context) =>
  showSecret(context, () =>
    context.arguments.text('account') === undefined
      ? createAsCaller(context)
      : createAsOperator(context),
  )

async function createAsCaller(context: Context): Promise<SecretResponse> {
  const { farebox } = await connect(context, listAllowedCallers('createApiKey'))
  const { idempotencyKey, options } = createPaidCall(context)
  const all = await rememberRepeatKey(idempotencyKey, () =>
    farebox.createApiKey(readInput(context), options),
  )
  const { apiKey: secret, ...others } = all
  return { secret, summary: `${all.apiKeyType} key ${all.id}`, others, all }
}

async function createAsOperator(context: Context): Promise<SecretResponse> {
  const body = { ...readInput(context), account: context.arguments.text('account') }
  const all = await callOperatorApi<{
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
    // the contract rejects other values, and lists the valid ones
    apiKeyType: (context.arguments.text('type') ?? 'INFERENCE') as CreateApiKeyInput['apiKeyType'],
    description: 'farebox keys create',
    ...(fields as Partial<CreateApiKeyInput>),
  }
}

/** The fields of a key that the options give. The service rejects unknown values. */
function readKeyFields({
  arguments: args,
}: Pick<Context, 'arguments'>): Readonly<Record<string, unknown>> {
  const [usd, diem] = [args.number('limit-usd', 0), args.number('limit-diem', 0)]
  const [description, period, expires] = [
    args.text('description'),
    args.text('period'),
    args.text('expires'),
  ]
  const consumptionLimit = {
    ...(usd !== undefined && { usd }),
    ...(diem !== undefined && { diem }),
  }
  return {
    ...(description !== undefined && { description }),
    ...(Object.keys(consumptionLimit).length > 0 && { consumptionLimit }),
    ...(period !== undefined && { limitPeriod: period }),
    ...(expires !== undefined && { expiresAt: expires }),
  }
}

/** A secret that a service shows once, with the rest of its response. */
type SecretResponse = {
  readonly secret: string
  readonly summary: string
  readonly others: object
  readonly all: object
}

/**
 * Prints only the secret to stdout, so that a script can read it, or writes it into the file of
 * `--output`, which only the user can read. The file is opened before the secret is made.
 */
async function showSecret(context: Context, make: () => Promise<SecretResponse>): Promise<number> {
  const { arguments: args, terminal } = context
  const path = readOutputPath(context)
  const output = path === undefined ? undefined : await openOutput(path, 0o600)
  try {
    const { secret, summary, others, all } = await make()
    if (output !== undefined) await output.write(`${secret}\n`)
    note(terminal, `${summary}${path === undefined ? ', shown only once' : `, in ${path}`}`)
    if (args.has('json'))
      await printJson(terminal, path === undefined ? all : { ...others, file: path })
    else if (path === undefined) await printLine(terminal, secret)
    return 0
  } finally {
    await output?.abandon()
  }
}
