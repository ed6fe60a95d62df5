import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { KeyChange, Unchangeable } from '../../domain/accounts/key-administration.js'
import {
  keyJson,
  usageJson,
  faultOfKey,
  type KeyWish,
  type BeyondMaker,
} from '../../domain/accounts/key-rules.js'
import {
  type OperatorHandlers,
  type OperatorSources,
  invalid,
  notFound,
  OperatorRefusal,
} from './handler-types.js'

type KeyHandlers = Pick<
  OperatorHandlers,
  'listKeys' | 'createKey' | 'getKey' | 'changeKey' | 'rotateKey' | 'revokeKey' | 'getKeyUsage'
>

const dayMs = 86_400_000

/** Handlers of the operations on API keys. */
export function keyHandlers({ keys, ledger, uses, now }: OperatorSources): KeyHandlers {
  return {
    listKeys: async ({ account, state, limit, offset }) => {
      await uses.flush()
      const found = await keys.list({
        ...(account !== undefined && { account }),
        ...(state && { state }),
        limit,
        offset,
      })
      return { keys: found.keys.map(keyJson), hasMore: found.hasMore }
    },

    createKey: async ({ account, apiKeyType, description, ...wish }) => {
      refuseFault({ description, ...withoutUndefined(wish) }, now())
      if (!/^key:./.test(account))
        throw invalid('account: Expected "key:" with a name, such as key:tram.')
      await ledger.openKeyAccount(account, 0n)
      const { limit, period, expiresAt } = toKeyChange(wish)
      const made = await keys.create({
        account,
        type: apiKeyType,
        description,
        ...(limit && { limit }),
        ...(period && { period }),
        ...(typeof expiresAt === 'number' && { expiresAt }),
      })
      if (made.status === 'frozen')
        throw new OperatorRefusal(
          409,
          'ACCOUNT_FROZEN',
          'The account is frozen, and gets no keys. Unfreeze it first.',
        )
      if (made.status !== 'created')
        throw new OperatorRefusal(
          409,
          'TOO_MANY_KEYS',
          'The account has as many active keys as there can be.',
        )
      return { ...keyJson(await read(made.key.id)), secret: made.secret }
    },

    getKey: async ({ id }) => {
      await uses.flush()
      return keyJson(await read(id))
    },

    changeKey: async ({ id, description, ...wish }) => {
      refuseFault(
        { ...withoutUndefined(wish), ...(description !== undefined && { description }) },
        now(),
      )
      const changed = await keys.change(id, {
        ...toKeyChange(wish),
        ...(description !== undefined && { description }),
      })
      return keyJson(done(id, changed).key)
    },

    rotateKey: async ({ id, graceSeconds }) => {
      const { key, secret } = done(id, await keys.rotate(id, graceSeconds * 1000))
      return { ...keyJson(key), secret }
    },

    revokeKey: async ({ id }) => keyJson(done(id, await keys.revoke(id)).key),

    getKeyUsage: async ({ id, days }) => {
      const usage = await keys.usage(id, { from: now() - days * dayMs, to: now() + 1 })
      if (usage === undefined) throw notFound(`key ${id}`)
      return { usage: usage.map(usageJson) }
    },
  }

  async function read(id: string) {
    const key = await keys.read(id)
    if (key === undefined) throw notFound(`key ${id}`)
    return key
  }
}

type Wish = {
  readonly consumptionLimit?:
    | Partial<Record<keyof ConsumptionLimit, number | undefined>>
    | null
    | undefined
  readonly limitPeriod?: LimitPeriod | undefined
  readonly expiresAt?: string | null | undefined
}

function toKeyChange({ consumptionLimit, limitPeriod, expiresAt }: Wish): KeyChange {
  return {
    ...(consumptionLimit !== undefined && { limit: consumptionLimit && toLimit(consumptionLimit) }),
    ...(limitPeriod && { period: limitPeriod }),
    ...(expiresAt !== undefined && {
      expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    }),
  }
}

function toLimit(limit: NonNullable<Wish['consumptionLimit']>): ConsumptionLimit {
  return Object.fromEntries(Object.entries(limit).filter(([, amount]) => amount !== undefined))
}

function withoutUndefined({ consumptionLimit, expiresAt }: Wish): KeyWish {
  return { consumptionLimit: consumptionLimit && toLimit(consumptionLimit), expiresAt }
}

function refuseFault(wish: KeyWish, now: number): void {
  const fault = faultOfKey(wish, now)
  if (fault) throw invalid(`${fault.field}: ${fault.message}`)
}

/** The result of a change that was made. */
function done<Result extends { readonly status: string }>(
  id: string,
  result: Result,
): Exclude<Result, Unchangeable | BeyondMaker> {
  if (isRefused(result)) {
    if (result.status === 'unknown') throw notFound(`key ${id}`)
    if (result.status === 'beyond maker') throw invalid(`${result.field}: ${result.message}`)
    throw new OperatorRefusal(
      409,
      'KEY_ENDED',
      `The key is ${result.key.state}, and never comes back. Make another one.`,
    )
  }
  return result as Exclude<Result, Unchangeable | BeyondMaker>
}

function isRefused(result: { readonly status: string }): result is Unchangeable | BeyondMaker {
  return (
    result.status === 'unknown' || result.status === 'ended' || result.status === 'beyond maker'
  )
}
