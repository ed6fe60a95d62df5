import { useState } from 'preact/hooks'
import type { Item } from './api.js'
import { useApp, useLoaded } from './app.js'
import type { Change } from './change-dialog.js'
import { Choice, Field, NumberField } from './fields.js'
import { formatMoney, formatTime, State, Table } from './table.js'

type Key = Item<'listKeys', 'keys'>

const states = ['active', 'expired', 'revoked'] as const

export function Keys() {
  const { allowsChanges, call, open } = useApp()
  const [state, setState] = useState<Key['state']>()
  const loaded = useLoaded(
    (load) => load('listKeys', { limit: 200, ...(state && { state }) }),
    [state],
  )
  const create: Change = {
    title: 'New API key',
    fields: (
      <>
        <Field
          name="account"
          label="Account: key: with a name"
          value="key:"
          required
          pattern="key:.+"
        />
        <Field name="description" label="What it is for" maxLength={64} />
        <NumberField name="usd" label="Limit in USD for a month; empty for none" step="any" />
      </>
    ),
    button: 'Create',
    send: ({ account = '', description = '', usd }) =>
      call('createKey', {
        account,
        description,
        ...(usd !== '' && { consumptionLimit: { usd: Number(usd) }, limitPeriod: 'MONTH' }),
      }),
  }
  return (
    <section aria-labelledby="keys-title">
      <h2 id="keys-title">API keys and their limits</h2>
      <div class="bar">
        <Choice label="State" values={states} value={state} onChange={setState} />
        {allowsChanges && (
          <button type="button" onClick={() => open(create)}>
            New key
          </button>
        )}
      </div>
      <Table
        id="key-rows"
        title="API keys"
        rows={loaded?.keys}
        hasMore={loaded?.hasMore}
        columns={[
          { title: 'Account', kind: 'code', cell: (row: Key) => row.account },
          { title: 'Description', kind: 'text', cell: (row) => row.description },
          { title: 'Type', cell: (row) => row.apiKeyType },
          {
            title: 'State',
            cell: (row) => <State good={row.state === 'active'}>{row.state}</State>,
          },
          { title: 'Limit', cell: describeLimit },
          { title: 'Consumed', cell: describeConsumption },
          { title: 'Last used', cell: (row) => formatTime(row.lastUsedAt) || 'never' },
          {
            title: 'Actions',
            cell: (row) => allowsChanges && row.state === 'active' && <Actions apiKey={row} />,
          },
          { title: 'Id', kind: 'code', cell: (row) => row.id },
        ]}
      />
    </section>
  )
}

function describeLimit({ consumptionLimit, limitPeriod }: Key): string {
  const limits = Object.entries(consumptionLimit).map(
    ([unit, amount]) => `${amount} ${unit === 'usd' ? 'USD' : unit}`,
  )
  return limits.length === 0 ? 'none' : `${limits.join(', ')} (${limitPeriod})`
}

function describeConsumption({ consumed: { usd, diem } }: Key): string {
  return `${formatMoney(usd)} USD${diem > 0 ? `, ${formatMoney(diem)} diem` : ''}`
}

function Actions({ apiKey: { id, description, consumptionLimit } }: { readonly apiKey: Key }) {
  const { call, open } = useApp()
  const name = description || id
  const action = (label: string, accessibleName: string, change: Change) => (
    <button type="button" aria-label={`${accessibleName} ${name}`} onClick={() => open(change)}>
      {label}
    </button>
  )
  return (
    <>
      {action('Limit', 'Limit of', {
        title: `Limit of ${name}`,
        fields: (
          <NumberField
            name="usd"
            label="USD in the period; empty for no limit"
            step="any"
            {...(consumptionLimit.usd !== undefined && { value: consumptionLimit.usd })}
          />
        ),
        button: 'Save',
        send: ({ usd }) => {
          const { usd: _, ...others } = consumptionLimit
          const limit = usd === '' ? others : { ...others, usd: Number(usd) }
          return call('changeKey', {
            id,
            consumptionLimit: Object.keys(limit).length === 0 ? null : limit,
          })
        },
      })}
      {action('Rotate', 'Rotate', {
        title: `New secret for ${name}`,
        fields: (
          <NumberField
            name="grace"
            label="Seconds for which the old secret is accepted too"
            max={2_592_000}
            value={0}
            required
          />
        ),
        button: 'Rotate',
        send: ({ grace }) => call('rotateKey', { id, graceSeconds: Number(grace) }),
      })}
      {action('Revoke', 'Revoke', {
        title: `Revoke ${name}?`,
        note: 'The key ends for good, with all keys that come from it.',
        button: 'Revoke',
        send: () => call('revokeKey', { id }),
      })}
    </>
  )
}
