import { useState } from 'preact/hooks'
import type { Item } from './api.js'
import { useLoaded } from './app.js'
import { Choice, readFields } from './fields.js'
import { formatMoney, formatTime, Table } from './table.js'

type Job = Item<'listJobs', 'jobs'>
type RecentError = Item<'listErrors', 'errors'>

const states = ['queued', 'running', 'completed', 'failed'] as const

export function Jobs() {
  const [state, setState] = useState<Job['state']>()
  const loaded = useLoaded(
    (call) => call('listJobs', { limit: 200, ...(state && { state }) }),
    [state],
  )
  return (
    <section aria-labelledby="jobs-title">
      <h2 id="jobs-title">Video jobs</h2>
      <div class="bar">
        <Choice label="State" values={states} value={state} onChange={setState} />
      </div>
      <Table
        id="job-rows"
        title="Video jobs"
        rows={loaded?.jobs}
        hasMore={loaded?.hasMore}
        columns={[
          { title: 'Created', cell: (row: Job) => formatTime(row.createdAt) },
          { title: 'State', cell: (row) => row.state },
          { title: 'Account', kind: 'code', cell: (row) => row.account },
          { title: 'Model', cell: (row) => row.model },
          { title: 'Price', kind: 'number', cell: (row) => formatMoney(row.price) },
          { title: 'Attempts', kind: 'number', cell: (row) => row.attempts },
          { title: 'Finished', cell: (row) => formatTime(row.finishedAt) },
          { title: 'Failure', kind: 'text', cell: (row) => row.failure },
          { title: 'Id', kind: 'code', cell: (row) => row.id },
        ]}
      />
    </section>
  )
}

export function Errors() {
  const [requestId, setRequestId] = useState('')
  const loaded = useLoaded((call) => call('listErrors', { requestId }), [requestId])
  return (
    <section aria-labelledby="errors-title">
      <h2 id="errors-title">Recent errors</h2>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault()
          setRequestId(readFields(event.currentTarget)['request']?.trim() ?? '')
        }}
      >
        <label>
          Request id <input name="request" autocomplete="off" spellcheck={false} />
        </label>
        <button>Find</button>
      </form>
      <Table
        id="error-rows"
        title="Recent errors"
        rows={loaded?.errors}
        {...(requestId !== '' && { none: 'No process keeps an error of this request.' })}
        columns={[
          { title: 'Time', cell: (row: RecentError) => formatTime(row.time) },
          { title: 'Request id', kind: 'code', cell: (row) => row.requestId },
          { title: 'Operation', cell: (row) => row.operation },
          { title: 'Status', cell: (row) => row.status },
          { title: 'Code', cell: (row) => row.code ?? row.upstream },
          { title: 'What', kind: 'text', cell: (row) => row.message },
          { title: 'Process', cell: (row) => row.process },
        ]}
      />
    </section>
  )
}
