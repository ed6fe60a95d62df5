import { useEffect, useState } from 'preact/hooks'
import { chooseAccess, explain, learn, tellCharges } from '../call/outcome.js'
import { buildRequest } from '../call/request.js'
import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'
import type { Planned } from '../copy/planned.js'
import { findProblems, type Problems } from '../form/problems.js'
import { openWallet } from '../session/choose-wallet.js'
import type { LedgerState } from '../session/ledger-state.js'
import { filled } from '../session/remember.js'
import { serviceOrigin, type SessionStore } from '../session/session.js'
import type { Step } from '../wire/exchange.js'
import { readAnswer, type AnswerData } from './answer.js'
import { useSession } from './use-session.js'

type Work = (send: typeof fetch) => Promise<Response>

/** The calls of one operation with the session: the request, its response and the trace. */
export function useCalls(operation: OperationData, store: SessionStore) {
  const session = useSession(store)
  const [values, setValues] = useState<Values>(() =>
    filled(operation, operation.example, session.remembered),
  )
  const [problems, setProblems] = useState<Problems>({})
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [said, say] = useState('')
  const [answer, setAnswer] = useState<AnswerData>()
  const [ledgerProblem, sayOfLedger] = useState('')
  const [busy, setBusy] = useState(false)
  const [calls, count] = useState(0)
  const access = chooseAccess(operation, session)
  const ledger = session.ledger?.access === access ? session.ledger : undefined

  useEffect(
    () => setValues((current) => filled(operation, current, session.remembered)),
    [session.remembered],
  )

  const tell = (step: Step) => setSteps((all) => [...all, step])
  const refresh = async (credential: LedgerState['access']) => {
    sayOfLedger('')
    try {
      if (credential === 'wallet') await openWallet(store)
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
      if (credential === 'wallet') await openWallet(store)
      const { createCaller } = await import('../call/caller.js')
      const start = performance.now()
      const response = await work(createCaller({ ...store.get(), access: credential }, tell))
      const found = await readAnswer(response, performance.now() - start, (part) => {
        say('')
        setAnswer(part)
      })
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
  const complete = (): Values => ({
    ...values,
    path: filled(operation, values, store.get().remembered).path,
  })
  const call: Work = (send) => {
    const { url, ...init } = buildRequest(operation, complete(), serviceOrigin(store.get()))
    return send(url, init)
  }
  const topUp: Work = async (send) => {
    const { topUpPath } = await import('../call/caller.js')
    return send(`${serviceOrigin(store.get())}/api/v1${topUpPath}`, { method: 'POST' })
  }
  const submit = async () => {
    setBusy(true)
    if (access === 'wallet') await openWallet(store)
    const found = await findProblems(operation, complete())
    setProblems(found)
    if (Object.keys(found).length > 0) return setBusy(false)
    setSteps([])
    await run(call)
  }
  const payAndRepeat: Work = async (send) => {
    const paid = await topUp(send)
    return paid.ok ? call(send) : paid
  }

  return {
    session,
    access,
    values,
    setValues,
    problems,
    steps,
    said,
    answer,
    /** The request of the values, as they are typed. */
    planned: { operation, values, access, origin: serviceOrigin(session) } satisfies Planned,
    ledger,
    ledgerProblem,
    busy,
    calls,
    refresh: (credential: LedgerState['access']) => void refresh(credential),
    /** Sends the request if its values are valid. */
    submit: () => void submit(),
    /** Sends the request, with invalid values too. */
    send: () => void run(call),
    payAndSend: () => void run(payAndRepeat),
    topUp: () => {
      setSteps([])
      void run(topUp, 'wallet')
    },
  }
}
