import type { Item } from './api.js'
import { useApp, useLoaded } from './app.js'
import type { Change } from './change-dialog.js'
import { reasonField } from './fields.js'
import { formatMoney, formatTime, Table } from './table.js'

type Debt = Item<'listDebts', 'debts'>

/** Work that was delivered and whose payment was not settled. Its wallets are stopped. */
export function Debts() {
  const { allowsChanges, call, open } = useApp()
  const loaded = useLoaded((load) => load('listDebts', { limit: 200 }))
  const writeOff = ({ id, account, amount }: Debt): Change => ({
    title: `Write off ${formatMoney(amount)} USD of ${account}?`,
    note: 'The wallet gets a grant over the amount, its work is charged with it, and it can pay by upto again.',
    fields: reasonField,
    button: 'Write off',
    send: ({ reason = '' }) => call('writeOffDebt', { debt: id, reason }),
  })
  return (
    <section aria-labelledby="debts-title">
      <h2 id="debts-title">Debts</h2>
      <p class="dim">
        Delivered work whose payment by upto was not settled. The service retries it until the
        permit ends. After that, a debt can be written off.
      </p>
      <Table
        id="debt-rows"
        title="Debts"
        rows={loaded?.debts}
        hasMore={loaded?.hasMore}
        columns={[
          { title: 'Since', cell: (row: Debt) => formatTime(row.since) },
          { title: 'Account', kind: 'code', cell: (row) => row.account },
          { title: 'USD', kind: 'number', cell: (row) => formatMoney(row.amount) },
          { title: 'Model', cell: (row) => row.modelId },
          { title: 'Permit ends', cell: (row) => formatTime(row.settleUntil) },
          { title: 'Network', cell: (row) => row.network },
          { title: 'Request id', kind: 'code', cell: (row) => row.requestId },
          {
            title: 'Actions',
            cell: (row) =>
              allowsChanges && (
                <button
                  type="button"
                  aria-label={`Write off ${row.id}`}
                  onClick={() => open(writeOff(row))}
                >
                  Write off
                </button>
              ),
          },
        ]}
      />
    </section>
  )
}
