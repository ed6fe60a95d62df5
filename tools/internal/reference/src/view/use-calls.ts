import { useEffect, useState } from 'preact/hooks'
import { authorize, listSecrets } from '../call/authorize.js'
import { buildRequest, type Draft } from '../call/request.js'
import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'
import type { Problems } from '../form/problems.js'
import {
  chooseAlternative,
  fillRemembered,
  findBase,
  type LedgerState,
  readRemembered,
  readServiceOrigin,
  type Session,
  type SessionStore,
  useSession,
} from '../session/session.js'
import type { Step, Tell } from '../wire/exchange.js'
import { recordExchanges } from '../wire/record.js'
import { readResponse, type ResponseData } from './response-view.js'
import type { Edition } from './edition.js'

type Work = (send: typeof fetch) => Promise<Response>

/** The state of an operation's console: its values, the last response and the trace. */
export function useCalls(
  operation: OperationData,
  store: SessionStore,
  { findProblems, payments }: Edition,
) {
  const session = useSession(store)
  const [values, setValues] = useState<Values>(() =>
    fillRemembered(operation, operation.example, session.remembered),
  )
  const [problems, setProblems] = useState<Problems>({})
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [status, setStatus] = useState('')
  const [responseData, setResponseData] = useState<ResponseData>()
  const [ledgerProblem, setLedgerProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const [calls, setCalls] = useState(0)
  const access = chooseAccess(operation, session)
  const ledger = session.ledger?.access === access ? session.ledger : undefined

  useEffect(
    () => setValues((current) => fillRemembered(operation, current, session.remembered)),
    [session.remembered],
  )

  const schemes = () => chooseAlternative(operation, store.get())
  const tell = (step: Step) => setSteps((all) => [...all, step])
  const refresh = async (credential: LedgerState['access']) => {
    setLedgerProblem('')
    try {
      if (payments === undefined) return undefined
      if (credential === 'wallet') await payments.openWallet(store)
      const { readLedger } = await payments.load()
      const read = await readLedger(store.get(), credential)
      store.update({ ledger: read, balanceUsd: read.balanceUsd })
      return read
    } catch (error) {
      setLedgerProblem(describeError(error))
      return undefined
    }
  }
  const openSend = async (credential: CredentialKind): Promise<typeof fetch> => {
    if (payments === undefined || credential === 'none') {
      const { secrets } = store.get()
      return recordExchanges(tell, undefined, listSecrets(schemes(), secrets))
    }
    if (credential === 'wallet') await payments.openWallet(store)
    const { createCaller } = await payments.load()
    return createCaller({ ...store.get(), access: credential }, tell)
  }
  const run = async (work: Work, credential: CredentialKind = access) => {
    setBusy(true)
    setStatus('Sending …')
    try {
      const send = await openSend(credential)
      const start = performance.now()
      const response = await work(send)
      const found = await readResponse(response, performance.now() - start, (part) => {
        setStatus('')
        setResponseData(part)
      })
      setResponseData(found)
      setStatus('')
      remember(store, response, found.text)
      // reading the ledger takes a signature: do not ask for one without a press of a button
      const asks = credential === 'wallet' && store.get().wallet?.asks !== false
      if (credential !== 'none' && !asks) traceCharges(await refresh(credential), ledger, tell)
    } catch (error) {
      setResponseData(undefined)
      setStatus(describeError(error))
    } finally {
      setBusy(false)
      setCalls((all) => all + 1)
    }
  }
  // the path has the address of a wallet that was created after this render
  const complete = (): Values => ({
    ...values,
    path: fillRemembered(operation, values, store.get().remembered).path,
  })
  const call: Work = (send) => {
    const planned = buildRequest(operation, complete(), findBase(operation, store.get()))
    const { url, ...init } = authorize(planned, schemes(), store.get().secrets)
    return send(url, init)
  }
  const topUp: Work = async (send) => {
    if (payments === undefined) throw new Error('This console has no payments.')
    const { topUpPath } = await payments.load()
    return send(`${readServiceOrigin(store.get())}/api/v1${topUpPath}`, { method: 'POST' })
  }
  const submit = async () => {
    setBusy(true)
    if (access === 'wallet') await payments?.openWallet(store)
    const problems = await findProblems(operation, complete())
    setProblems(problems)
    if (Object.keys(problems).length > 0) return setBusy(false)
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
    status,
    responseData,
    /** The request of the current values. */
    draft: createDraft(operation, values, access, session),
    ledger,
    ledgerProblem,
    busy,
    calls,
    refresh: (credential: LedgerState['access']) => void refresh(credential),
    /** Sends the request if its values are valid. */
    submit: () => void submit(),
    /** Sends the request even if its values are invalid. */
    send: () => void run(call),
    payAndSend: () => void run(payAndRepeat),
    topUp: () => {
      setSteps([])
      void run(topUp, 'wallet')
    },
  }
}

/** The request of the current values. Undefined while the address of the service is not complete. */
function createDraft(
  operation: OperationData,
  values: Values,
  access: CredentialKind,
  session: Session,
): Draft | undefined {
  try {
    const base = findBase(operation, session)
    const schemes = chooseAlternative(operation, session)
    return { operation, values, access, origin: new URL(base).origin, base, schemes }
  } catch {
    return undefined
  }
}

/** The session's credential if the operation accepts it, else the first that it accepts. */
function chooseAccess({ credentials }: OperationData, { access }: Session): CredentialKind {
  return credentials.includes(access) ? access : (credentials[0] ?? 'none')
}

/** Updates the session from a response: the balance, and values that later calls need. */
function remember(store: SessionStore, response: Response, text: string): void {
  const balance = response.headers.get('x-balance-remaining')
  if (balance !== null) store.update({ balanceUsd: Number(balance) })
  if (!response.ok || text === '') return
  const { remembered } = store.get()
  const found = readRemembered(parseJson(text))
  if (Object.keys(found).length > 0) store.update({ remembered: { ...remembered, ...found } })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Adds new entries of the ledger to the trace, and the balance if it has changed. */
function traceCharges(
  now: LedgerState | undefined,
  before: LedgerState | undefined,
  tell: Tell,
): void {
  if (now === undefined) return
  const same = before?.access === now.access ? before : undefined
  const known = new Set(same?.rows.map(({ id }) => id))
  for (const { id, type, amount } of now.rows.toReversed())
    if (!known.has(id)) tell({ kind: 'charge', text: `${type} ${amount} USD` })
  if (same?.balanceUsd !== now.balanceUsd)
    tell({ kind: 'charge', text: `Credit after this: ${now.balanceUsd} USD` })
}

/** Describes an error to the user. */
function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof TypeError
    ? `No response (${message}). Is the service running at this address?`
    : message
}
