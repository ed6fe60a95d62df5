import type { ChangeApiKeyInput, ListApiKeysInput } from '@farebox/client'
import type { ApiKey } from '@farebox/types'
import type { Context } from './command.js'
import { allowedCallers, connect } from './connect.js'
import { UsageError } from './errors.js'
import { askOperator } from './operator.js'
import { readSettings } from './settings.js'

/** A key as the contract shows it. To the operator it has its account too. */
export type Key = ApiKey & { readonly account?: string }

/** A key after its rotation. */
export type Rotated = {
  readonly id: string
  readonly secret: string
  readonly others: object
  readonly all: object
}

export type KeyChange = Omit<ChangeApiKeyInput, 'id'>

/** Where keys are read and changed: by their operator, or by the key that they come from. */
export type KeySource = {
  readonly list: (filter: {
    readonly account?: string
    readonly state?: string
  }) => Promise<{ readonly keys: readonly Key[]; readonly hasMore: boolean }>
  readonly read: (id: string) => Promise<Key>
  readonly change: (id: string, change: KeyChange) => Promise<Key>
  readonly rotate: (id: string, graceSeconds: number) => Promise<Rotated>
  readonly revoke: (id: string) => Promise<Key>
}

/** As the operator where his key is set, unless there is `--as key`. */
export async function openKeySource(context: Context): Promise<KeySource> {
  const { arguments: given, environment } = context
  if (given.text('as') !== undefined) return asCaller(context)
  const { operatorKey } = await readSettings(environment, given.text('config'))
  return operatorKey === undefined ? asCaller(context) : asOperator(context)
}

function asOperator(context: Context): KeySource {
  const toPath = (id: string) => `/keys/${encodeURIComponent(id)}`
  return {
    list: (filter) =>
      askOperator(context, { method: 'GET', path: '/keys', query: { ...filter, limit: '500' } }),
    read: (id) => askOperator(context, { method: 'GET', path: toPath(id) }),
    change: (id, body) => askOperator(context, { method: 'PATCH', path: toPath(id), body }),
    rotate: async (id, graceSeconds) => {
      const path = `${toPath(id)}/rotate`
      const all = await askOperator<Key & { readonly secret: string }>(context, {
        method: 'POST',
        path,
        body: { graceSeconds },
      })
      const { secret, ...others } = all
      return { id: all.id, secret, others, all }
    },
    revoke: (id) => askOperator(context, { method: 'POST', path: `${toPath(id)}/revoke` }),
  }
}

async function asCaller(context: Context): Promise<KeySource> {
  const { farebox } = await connect(context, allowedCallers('listApiKeys'))
  const { signal } = context
  return {
    list: async ({ account, state }) => {
      if (account !== undefined)
        throw new UsageError(
          '--account is for the operator. Set FAREBOX_OPERATOR_KEY, or leave it out.',
        )
      const limit = 100
      const keys: Key[] = []
      for (;;) {
        const input = {
          limit,
          offset: keys.length,
          ...(state !== undefined && { state: state as ListApiKeysInput['state'] }),
        }
        const page = await farebox.listApiKeys(input as ListApiKeysInput, { signal })
        keys.push(...page.keys)
        if (!page.pagination.hasMore) return { keys, hasMore: false }
      }
    },
    read: (id) => farebox.getApiKey({ id }, { signal }),
    change: (id, change) => farebox.changeApiKey({ ...change, id }, { signal }),
    rotate: async (id, graceSeconds) => {
      const all = await farebox.rotateApiKey({ id, graceSeconds }, { signal })
      const { apiKey: secret, ...others } = all
      return { id, secret, others, all }
    },
    revoke: (id) => farebox.revokeApiKey({ id }, { signal }),
  }
}
