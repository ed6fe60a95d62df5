import { useEffect, useRef, useState } from 'preact/hooks'
import { accessOf, explain, learn, tellCharges } from '../call/outcome.js'
import { requestOf } from '../call/request.js'
import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'
import type { Sent } from '../copy/sent.js'
import { OperationForm } from '../form/operation-form.js'
import { problemsOf, type Problems } from '../form/problems.js'
import { Scope } from '../form/scope.js'
import { walletOf } from '../session/choose-wallet.js'
import type { LedgerState } from '../session/ledger-state.js'
import { filled } from '../session/remember.js'
import { originOf, type SessionStore } from '../session/session.js'
import type { Step } from '../wire/exchange.js'
import { Answer, answerOf, type AnswerData } from './answer.js'
import { CopyAs } from './copy-as.js'
import { Ledger } from './ledger.js'
import { SessionBar } from './session-bar.js'
import { Trace } from './trace.js'
import { useSession } from './use-session.js'

type Props = { readonly operation: OperationData; readonly store: SessionStore }
type Work = (send: typeof fetch) => Promise<Response>

/** Calls one operation with the session: its form, the answer, the wire and the ledger. */
export function Console({ operation, store }: Props) {
  const session = useSession(store)
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState<Values>(() => filled(operation, operation.example, session.remembered))
  const [problems, setProblems] = useState<Problems>({})
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [said, say] = useState('')
  const [answer, setAnswer] = useState<AnswerData>()
  const [sent, setSent] = useState<Sent>()
  const [ledgerProblem, sayOfLedger] = useState('')
  const [busy, setBusy] = useState(false)
  const [calls, count] = useState(0)
  const access = accessOf(operation, session)
  const { payer } = session.wallet ?? {}
  const ledger = session.ledger?.access === access ? session.ledger : undefined

  useEffect(() => setValues((current) => filled(operation, current, session.remembered)), [session.remembered])
  const wrong = Object.keys(problems).length > 0
  useEffect(() => {
    if (wrong) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problems])

  const tell = (step: Step) => setSteps((all) => [...all, step])
  const refresh = async (credential: LedgerState['access']) => {
    sayOfLedger('')
    try {
      if (credential === 'wallet') await walletOf(store)
      const { readLedger } = await import('../call/ledger.js')
      const read = await readLedger(store.get(), credential)
      store.update({ ledger: read, balanceUsd: read.balanceUsd })
      return read
    } catch (error) {
      sayOfLedger(explain(error))
      return undefined
    }
  }
  const run = async (work: Work, credential: CredentialKind = access) => {
    setBusy(true)
    say('Sending …')
    try {
      if (credential === 'wallet') await walletOf(store)
      const { callerOf } = await import('../call/caller.js')
      const start = performance.now()
      const response = await work(callerOf({ ...store.get(), access: credential }, tell))
      const found = await answerOf(response, performance.now() - start)
      setAnswer(found)
      say('')
      learn(store, response, found.text)
      // a wallet that asks a person at each signature is asked again only for a press of a button
      const asks = credential === 'wallet' && store.get().wallet?.asks !== false
      if (credential !== 'none' && !asks) tellCharges(await refresh(credential), ledger, tell)
    } catch (error) {
      setAnswer(undefined)
      say(explain(error))
    } finally {
      setBusy(false)
      count((all) => all + 1)
    }
  }
  // a wallet that has just been made is in the path, although this render does not show it yet
  const complete = (): Values => ({ ...values, path: filled(operation, values, store.get().remembered).path })
  const call: Work = (send) => {
    const origin = originOf(store.get())
    const { url, ...init } = requestOf(operation, complete(), origin)
    setSent({ operation, values: complete(), access, origin })
    return send(url, init)
  }
  const topUp: Work = async (send) => {
    const { topUpPath } = await import('../call/caller.js')
    return send(`${originOf(store.get())}/api/v1${topUpPath}`, { method: 'POST' })
  }
  const submit = async () => {
    setBusy(true)
    if (access === 'wallet') await walletOf(store)
    const found = await problemsOf(operation, complete())
    setProblems(found)
    if (Object.keys(found).length > 0) return setBusy(false)
    setSteps([])
    await run(call)
  }
  const payAndRepeat: Work = async (send) => {
    const paid = await topUp(send)
    return paid.ok ? call(send) : paid
  }

  return (
    <Scope.Provider value={`try-${operation.id}`}>
      <SessionBar store={store} />
      <form
        ref={form}
        class="fbr-form"
        noValidate
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {access !== session.access && <p class="fbr-hint">{otherAccess[access]}</p>}
        <OperationForm operation={operation} values={values} problems={problems} onChange={setValues} />
        <div class="fbr-row">
          <button type="submit" disabled={busy}>
            Send {operation.method} {operation.path}
          </button>
          {answer?.status === 402 && access === 'wallet' && !operation.pays && payer !== undefined && (
            <button type="button" class="fbr-pay" disabled={busy} onClick={() => void run(payAndRepeat)}>
              Top up 5 USD and send again
            </button>
          )}
          {wrong && (
            <button type="button" disabled={busy} onClick={() => void run(call)}>
              Send as it is
            </button>
          )}
        </div>
        <output aria-live="polite" data-calls={calls}>
          {said !== '' && <p>{said}</p>}
          {said === '' && answer !== undefined && <Answer answer={answer} />}
        </output>
      </form>
      {sent !== undefined && <CopyAs sent={sent} />}
      <div class="fbr-beside">
        <Trace steps={steps} />
        {access !== 'none' && (
          <Ledger
            access={access}
            ledger={ledger}
            problem={ledgerProblem}
            busy={busy}
            onRefresh={() => void refresh(access)}
            onTopUp={() => {
              setSteps([])
              void run(topUp, 'wallet')
            }}
          />
        )}
      </div>
    </Scope.Provider>
  )
}

const otherAccess: Readonly<Record<CredentialKind, string>> = {
  wallet: 'This operation is called with a wallet, whichever credential the session has.',
  key: 'This operation takes an API key: choose one above.',
  none: 'This operation needs no credential, and none is sent.',
}
