import { useEffect, useRef } from 'preact/hooks'
import type { CredentialKind, OperationData } from '../contract/operation-data.js'
import { OperationForm } from '../form/operation-form.js'
import { Scope } from '../form/scope.js'
import type { SessionStore } from '../session/session.js'
import { Answer } from './answer.js'
import { CopyAs } from './copy-as.js'
import { Ledger } from './ledger.js'
import { SessionBar } from './session-bar.js'
import { Trace } from './trace.js'
import { useCalls } from './use-calls.js'

type Props = { readonly operation: OperationData; readonly store: SessionStore }

/** Calls one operation with the session: its form, the answer, the wire and the ledger. */
export function Console({ operation, store }: Props) {
  const calls = useCalls(operation, store)
  const { session, access, problems, said, answer, busy } = calls
  const form = useRef<HTMLFormElement>(null)
  const wrong = Object.keys(problems).length > 0
  useEffect(() => {
    if (wrong) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problems])

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
          calls.submit()
        }}
      >
        {access !== session.access && <p class="fbr-hint">{otherAccess[access]}</p>}
        <OperationForm
          operation={operation}
          values={calls.values}
          problems={problems}
          onChange={calls.setValues}
        />
        <div class="fbr-row">
          <button type="submit" disabled={busy}>
            Send {operation.method} {operation.path}
          </button>
          {answer?.status === 402 &&
            access === 'wallet' &&
            !operation.pays &&
            session.wallet?.payer !== undefined && (
              <button type="button" class="fbr-pay" disabled={busy} onClick={calls.payAndSend}>
                Top up 5 USD and send again
              </button>
            )}
          {wrong && (
            <button type="button" disabled={busy} onClick={calls.send}>
              Send as it is
            </button>
          )}
        </div>
        <output aria-live="polite" data-calls={calls.calls}>
          {said !== '' && <p>{said}</p>}
          {said === '' && answer !== undefined && <Answer answer={answer} />}
        </output>
      </form>
      <CopyAs planned={calls.planned} />
      <div class="fbr-beside">
        <Trace steps={calls.steps} />
        {access !== 'none' && (
          <Ledger
            access={access}
            ledger={calls.ledger}
            problem={calls.ledgerProblem}
            busy={busy}
            onRefresh={() => calls.refresh(access)}
            onTopUp={calls.topUp}
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
