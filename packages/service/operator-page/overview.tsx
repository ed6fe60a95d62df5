import type { ComponentChildren } from 'preact'
import type { Item } from './api.js'
import { useApp, useLoaded } from './app.js'
import { formatMoney, formatTime, State, Table } from './table.js'

type Process = Item<'listProcesses', 'processes'>

/** The sums of the ledger, and the processes with what they depend on. */
export function Overview() {
  const { allowsChanges } = useApp()
  const accounts = useLoaded((call) => call('listAccounts', { limit: 1 }))
  const found = useLoaded((call) => call('listProcesses', {}))
  const processes = found?.processes
  const ready = processes?.filter((process) => process.ready).length
  return (
    <>
      <section aria-labelledby="overview-title">
        <h2 id="overview-title">Overview</h2>
        <dl class="tiles" id="tiles">
          <Tile name="Accounts">{accounts?.totals.accounts}</Tile>
          <Tile name="Balances, USD">{accounts && formatMoney(accounts.totals.balance)}</Tile>
          <Tile name="Held, USD">{accounts && formatMoney(accounts.totals.held)}</Tile>
          <Tile name="Processes">
            {processes && (
              <State good={ready === processes.length}>
                {ready} of {processes.length} ready
              </State>
            )}
          </Tile>
          <Tile name="This page">
            {allowsChanges ? 'may change keys and move money' : 'reads only'}
          </Tile>
        </dl>
      </section>
      {processes?.map((process) => (
        <ProcessCard key={process.id} process={process} />
      ))}
    </>
  )
}

function Tile({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function ProcessCard({ process }: { readonly process: Process }) {
  const troubles = Object.entries(process.troubles).filter(([, count]) => count > 0)
  const titleId = `process-${process.id}`
  return (
    <section aria-labelledby={titleId}>
      <h2 id={titleId}>{process.process}</h2>
      <p class="dim">
        Started at {formatTime(process.startedAt)}, reported at {formatTime(process.reportedAt)}.
      </p>
      <ul class="bar plain">
        {Object.entries(process.checks).map(([name, state]) => (
          <li key={name}>
            <State good={state === 'ok'}>
              {name}: {state}
            </State>
          </li>
        ))}
      </ul>
      {process.upstreams.length > 0 && (
        <Table
          id={`upstream-rows-${process.id}`}
          title={`Upstreams of ${process.process}`}
          rows={process.upstreams}
          columns={[
            { title: 'Upstream', cell: (row) => row.upstream },
            { title: 'For', cell: (row) => row.capability },
            {
              title: 'State',
              cell: (row) => <State good={row.state === 'ok'}>{row.state.replace('-', ' ')}</State>,
            },
            { title: 'Running', kind: 'number', cell: (row) => row.inFlight },
            { title: 'Calls', cell: (row) => describeOutcomes(row.outcomes) },
            {
              title: 'Mean seconds',
              kind: 'number',
              cell: (row) => formatSeconds(row.meanSeconds),
            },
          ]}
        />
      )}
      <Table
        id={`backend-rows-${process.id}`}
        title={`Backends of ${process.process}`}
        rows={process.backends}
        none="No backend was called yet."
        columns={[
          { title: 'Backend', cell: (row) => row.backend },
          { title: 'Calls', cell: (row) => describeOutcomes(row.outcomes) },
          { title: 'Mean seconds', kind: 'number', cell: (row) => formatSeconds(row.meanSeconds) },
        ]}
      />
      {troubles.length > 0 && (
        <p class="bad">
          Failed the service: {troubles.map(([name, count]) => `${name} ${count}`).join(', ')}. The
          errors and the log say how.
        </p>
      )}
    </section>
  )
}

function describeOutcomes(outcomes: Readonly<Record<string, number>>): string {
  return (
    Object.entries(outcomes)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', ') || 'none'
  )
}

function formatSeconds(seconds: number | null): string {
  return seconds === null ? '' : seconds.toFixed(3)
}

/** Whether every balance is the sum of its entries. An audit of a large ledger may take long. */
export function Audit() {
  const audit = useLoaded((call) => call('getAudit', {}))
  return (
    <section aria-labelledby="audit-title">
      <h2 id="audit-title">Audit of the ledger</h2>
      {audit === undefined ? (
        <p class="dim">Reading every entry…</p>
      ) : (
        <>
          <p id="audit-result">
            <State good={audit.consistent}>
              {audit.consistent
                ? 'Every balance is the sum of its entries.'
                : `The ledger does not add up: ${audit.faults.length} ${audit.faults.length === 1 ? 'difference' : 'differences'}.`}
            </State>{' '}
            Checked at {formatTime(audit.checkedAt)}.
          </p>
          <Table
            id="audit-rows"
            title="Differences"
            rows={audit.faults}
            none="No differences."
            columns={[
              { title: 'Account', kind: 'code', cell: (row) => row.account },
              { title: 'Difference', kind: 'text', cell: (row) => row.fault },
            ]}
          />
        </>
      )}
    </section>
  )
}
