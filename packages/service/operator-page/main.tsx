import { render } from 'preact'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { Accounts } from './accounts.js'
import { Errors, Jobs } from './activity.js'
import { ApiError, type Call, createCall } from './api.js'
import { type App as AppValue, AppContext, useAddress } from './app.js'
import { type Change, ChangeDialog } from './change-dialog.js'
import { Debts } from './debts.js'
import { readFields } from './fields.js'
import { Keys } from './keys.js'
import { Money } from './money.js'
import { Audit, Overview } from './overview.js'
import { formatTime } from './table.js'

const sections = {
  overview: { title: 'Overview', Section: Overview },
  money: { title: 'Money', Section: Money },
  accounts: { title: 'Accounts', Section: Accounts },
  debts: { title: 'Debts', Section: Debts },
  keys: { title: 'Keys', Section: Keys },
  jobs: { title: 'Jobs', Section: Jobs },
  errors: { title: 'Errors', Section: Errors },
  audit: { title: 'Audit', Section: Audit },
}

type Session = { readonly call: Call; readonly allowsChanges: boolean }

function Page() {
  const [session, setSession] = useState<Session>()
  const [problem, setProblem] = useState('')
  const leave = useCallback((message = '') => {
    setSession(undefined)
    setProblem(message)
  }, [])
  const enter = async (key: string) => {
    setProblem('')
    try {
      const call = createCall(key)
      const { allowsChanges } = await call('getHealth', {})
      setSession({ call, allowsChanges })
    } catch (error) {
      setProblem(explain(error))
    }
  }
  return session === undefined ? (
    <SignIn problem={problem} onEnter={enter} />
  ) : (
    <Workspace session={session} onLeave={leave} />
  )
}

type SignInProps = {
  readonly problem: string
  readonly onEnter: (key: string) => Promise<void>
}

function SignIn({ problem, onEnter }: SignInProps) {
  return (
    <>
      <header>
        <h1>Farebox operator</h1>
      </header>
      <main>
        <section aria-labelledby="enter-title">
          <h2 id="enter-title">Key of the operator</h2>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const form = event.currentTarget
              const { key = '' } = readFields(form)
              form.reset()
              void onEnter(key)
            }}
          >
            <p>
              <label>
                The key in FAREBOX_OPERATOR_KEY. This tab keeps it only in memory.
                <input
                  name="key"
                  type="password"
                  autocomplete="off"
                  required
                  ref={(input) => input?.focus()}
                />
              </label>
            </p>
            <p class="bad" role="alert">
              {problem}
            </p>
            <button class="main">Open</button>
          </form>
        </section>
      </main>
    </>
  )
}

type WorkspaceProps = {
  readonly session: Session
  readonly onLeave: (message?: string) => void
}

function Workspace({ session: { call, allowsChanges }, onLeave }: WorkspaceProps) {
  const [{ section, query }, go] = useAddress()
  const [change, setChange] = useState<Change>()
  const [round, setRound] = useState(0)
  const [status, setStatus] = useState('Loading…')
  const refresh = useCallback(() => setRound((count) => count + 1), [])
  const report = useCallback(
    (error?: Error) => {
      if (error instanceof ApiError && error.status === 401) onLeave(explain(error))
      else setStatus(error?.message ?? `As of ${formatTime(new Date().toISOString())}.`)
    },
    [onLeave],
  )
  const app = useMemo<AppValue>(
    () => ({ call, allowsChanges, open: setChange, round, report, refresh }),
    [call, allowsChanges, round, report, refresh],
  )
  const shown = Object.hasOwn(sections, section) ? (section as keyof typeof sections) : 'overview'
  const { Section } = sections[shown]
  return (
    <AppContext.Provider value={app}>
      <a class="skip" href="#content">
        To the content
      </a>
      <header>
        <h1>Farebox operator</h1>
        <form
          class="bar"
          role="search"
          onSubmit={(event) => {
            event.preventDefault()
            const text = readFields(event.currentTarget)['q']?.trim() ?? ''
            go(text === '' ? 'accounts' : `accounts?q=${encodeURIComponent(text)}`)
          }}
        >
          <input
            name="q"
            type="search"
            aria-label="Account, wallet, key, ledger entry, request or transaction"
            autocomplete="off"
            spellcheck={false}
            defaultValue={query}
            placeholder="Account, wallet, key, entry, request…"
          />
          <button>Find</button>
        </form>
        <span class="bar end">
          <span class="dim" role="status">
            {status}
          </span>
          <button type="button" onClick={refresh}>
            Refresh
          </button>
          <button type="button" onClick={() => onLeave()}>
            Forget the key
          </button>
        </span>
      </header>
      <nav aria-label="Sections">
        <ul>
          {Object.entries(sections).map(([id, { title }]) => (
            <li key={id}>
              <a href={`#${id}`} aria-current={id === shown ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <Section key={shown} query={query} />
      </main>
      {change && (
        <ChangeDialog change={change} onDone={refresh} onClose={() => setChange(undefined)} />
      )}
    </AppContext.Provider>
  )
}

function explain(error: unknown): string {
  if (error instanceof ApiError && error.status === 401)
    return 'This is not the key of the operator.'
  return error instanceof Error ? error.message : String(error)
}

const root = document.getElementById('page')
if (root) render(<Page />, root)
