import type { Item } from './api.js'
import { useLoaded } from './app.js'
import { formatMoney, Table } from './table.js'

type Flow = Item<'getMoneyFlow', 'flow'>
type Usage = Item<'listUsage', 'usage'>

const days = 30
const dayMs = 86_400_000

/** What moved, and what was earned, by day in UTC. */
export function Money() {
  const flow = useLoaded((call) => call('getMoneyFlow', { days }))?.flow
  const usage = useLoaded((call) => call('listUsage', { by: 'day' }))
  return (
    <section aria-labelledby="money-title">
      <h2 id="money-title">Money by day</h2>
      <p class="dim">
        Sums of the ledger in US dollars by day in UTC. The bars are what was charged, with daily
        credit.
      </p>
      {flow && <Chart flow={flow} />}
      <Table
        id="margin-rows"
        title="Revenue, cost and margin by day"
        rows={usage?.usage.toReversed()}
        hasMore={usage?.hasMore}
        none="No charges in 30 days."
        columns={[
          { title: 'Day', cell: (row: Usage) => row.day },
          { title: 'Requests', kind: 'number', cell: (row) => row.requests },
          { title: 'Charged', kind: 'number', cell: (row) => formatMoney(row.charged) },
          { title: 'Refunded', kind: 'number', cell: (row) => formatMoney(row.refunded) },
          { title: 'Cost', kind: 'number', cell: (row) => formatKnown(row.cost) },
          { title: 'Margin', kind: 'number', cell: (row) => formatKnown(row.margin) },
        ]}
      />
      <Table
        id="money-rows"
        title="Money by day"
        rows={flow}
        none="No entries in 30 days."
        columns={[
          { title: 'Day', cell: (row: Flow) => row.day },
          { title: 'Type', cell: (row) => row.type },
          { title: 'Entries', kind: 'number', cell: (row) => row.entries },
          { title: 'USD', kind: 'number', cell: (row) => formatMoney(row.usd) },
          { title: 'Daily credit', kind: 'number', cell: (row) => formatMoney(row.dailyCredit) },
        ]}
      />
    </section>
  )
}

function formatKnown(usd: number | null): string {
  return usd === null ? 'not known' : formatMoney(usd)
}

/** A bar for each of the last days. */
function Chart({ flow }: { readonly flow: readonly Flow[] }) {
  const charged = new Map(
    flow
      .filter(({ type }) => type === 'CHARGE')
      .map(({ day, usd, dailyCredit }) => [day, -usd - dailyCredit]),
  )
  const now = Date.now()
  const values = Array.from({ length: days }, (_, index) => {
    const day = new Date(now - (days - 1 - index) * dayMs).toISOString().slice(0, 10)
    return charged.get(day) ?? 0
  })
  const highest = Math.max(...values, 1e-9)
  return (
    <svg
      id="chart"
      viewBox="0 0 300 60"
      preserveAspectRatio="none"
      role="img"
      aria-label="Charges by day; the table has the figures"
    >
      {values.map((value, index) => {
        const height = (58 * value) / highest + 1
        return <rect key={index} x={index * 10 + 1} width={8} y={60 - height} height={height} />
      })}
    </svg>
  )
}
