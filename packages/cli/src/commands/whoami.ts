import type { Context, CommandHandler } from '../command.js'
import { connect, type Connection } from '../calls/connect.js'
import { printJson, printLine, formatTable } from '../io/terminal.js'

/**
 * Prints the identity, credit and permissions of the caller as the service reports them, or checks
 * the whole setup.
 */
export const whoami: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  if (args.has('check')) return (await import('../checks/check-setup.js')).checkSetup(context)
  const connection = await connect(context, ['wallet', 'key'])
  const { data, rows } = await (connection.as === 'wallet' ? describeWallet : describeKey)(
    connection,
    context,
  )
  if (args.has('json')) await printJson(terminal, data)
  else await printLine(terminal, formatTable([...rows, ['service', connection.baseUrl]]))
  return 0
}

type Identity = { readonly data: object; readonly rows: readonly (readonly string[])[] }

async function describeWallet(
  { farebox, baseUrl }: Connection,
  { signal }: Context,
): Promise<Identity> {
  const { data, limits } = await farebox.balance({ signal }).withResponse()
  const { walletAddress, canConsume, balanceUsd, diemBalanceUsd } = data
  const { limit } = limits.requests
  return {
    data: {
      caller: 'wallet',
      service: baseUrl,
      ...data,
      ...(limit !== undefined && { requestsPerMinute: limit }),
    },
    rows: [
      ['caller', `the wallet ${walletAddress}`],
      ['credit', `${balanceUsd} USD`],
      ...(diemBalanceUsd === undefined ? [] : [['daily credit', `${diemBalanceUsd} USD`]]),
      ['may spend', canConsume ? 'yes' : 'no: farebox top-up 5 buys credit'],
      ...(limit === undefined
        ? []
        : [
            [
              'limits',
              `${limit} requests for the balance a minute; other calls have limits of their own`,
            ],
          ]),
    ],
  }
}

async function describeKey(
  { farebox, baseUrl }: Connection,
  { signal }: Context,
): Promise<Identity> {
  const data = await farebox.getRateLimits({}, { signal })
  const { apiTier, accessPermitted, balances, keyExpiration, rateLimits } = data
  return {
    data: { caller: 'key', service: baseUrl, ...data },
    rows: [
      ['caller', `an API key of the tier ${apiTier.id}`],
      [
        'credit',
        Object.entries(balances)
          .map(([unit, amount]) => `${amount} ${unit}`)
          .join(', '),
      ],
      ['may call', accessPermitted ? 'yes' : 'no'],
      ['expires', keyExpiration ?? 'never'],
      [
        'limits',
        `${formatRanges(rateLimits.flatMap((one) => one.rateLimits))}; farebox limits lists them by model`,
      ],
    ],
  }
}

/** `20 to 500 RPM, 500000 TPM`: the limits of all models. */
function formatRanges(
  limits: readonly { readonly amount: number; readonly type: string }[],
): string {
  const types = [...new Set(limits.map(({ type }) => type))]
  return types
    .map((type) => {
      const amounts = limits.filter((one) => one.type === type).map(({ amount }) => amount)
      const [least, most] = [Math.min(...amounts), Math.max(...amounts)]
      return `${least === most ? least : `${least} to ${most}`} ${type}`
    })
    .join(', ')
}
