import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OperationData } from '../contract/operation-data.js'
import { OperationForm } from '../form/operation-form.js'
import { Scope } from '../form/field.js'
import type { SessionStore } from '../session/session.js'
import { ResponseView } from './response-view.js'
import type { Edition } from './edition.js'
import { useCalls } from './use-calls.js'
import type { Draft, Printer } from '../call/request.js'
import type { Message, Step } from '../wire/exchange.js'

type Props = {
  readonly operation: OperationData
  readonly store: SessionStore
  readonly edition: Edition
}

/** The console of an operation: its form, the response, the trace and the ledger. */
export function Console({ operation, store, edition }: Props) {
  const calls = useCalls(operation, store, edition)
  const { SessionBar, printers, payments } = edition
  const { session, access, problems, status, responseData: response, busy } = calls
  const form = useRef<HTMLFormElement>(null)
  const wrong = Object.keys(problems).length > 0
  // In the same step as the marks appear: after the next frame, the reader may be in another field.
  useLayoutEffect(() => {
    if (wrong) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problems])

  return (
    <Scope.Provider value={`try-${operation.id}`}>
      <SessionBar store={store} operation={operation} />
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
        {payments !== undefined && access !== session.access && (
          <p class="fbr-hint">{payments.otherAccess[access]}</p>
        )}
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
          {payments !== undefined &&
            response?.status === 402 &&
            access === 'wallet' &&
            !operation.pays &&
            session.wallet?.payer !== undefined && (
              <payments.PayAndSend busy={busy} onPay={calls.payAndSend} />
            )}
          {wrong && (
            <button type="button" disabled={busy} onClick={calls.send}>
              Send as it is
            </button>
          )}
        </div>
        <output aria-live="polite" data-calls={calls.calls}>
          {status !== '' && <p>{status}</p>}
          {status === '' && response !== undefined && <ResponseView response={response} />}
        </output>
      </form>
      {calls.draft !== undefined && <CopyAs draft={calls.draft} printers={printers} />}
      <div class="fbr-beside">
        <Trace steps={calls.steps} />
        {payments !== undefined && access !== 'none' && (
          <payments.Ledger
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

/** The request as code. A button shows it, and copies it if the browser allows that. */
function CopyAs({
  draft,
  printers,
}: {
  readonly draft: Draft
  readonly printers: readonly Printer[]
}) {
  const [name, setName] = useState<string>()
  const [status, setStatus] = useState('')
  const code = printers.find((printer) => printer.name === name)?.print(draft)
  const copy = async ({ name, print }: Printer) => {
    setName(name)
    try {
      await navigator.clipboard.writeText(print(draft))
      setStatus(`Copied as ${name}.`)
    } catch {
      setStatus('The browser does not allow copying. Select the text below.')
    }
  }
  return (
    <section class="fbr-copy" aria-label="The request as code">
      <div class="fbr-row">
        <span>Copy as</span>
        {printers.map((printer) => (
          <button
            type="button"
            class="fbr-small"
            aria-pressed={printer.name === name}
            key={printer.name}
            onClick={() => void copy(printer)}
          >
            {printer.name}
          </button>
        ))}
        <span role="status">{status}</span>
      </div>
      {code !== undefined && (
        <pre tabIndex={0} role="region" aria-label={`As ${name}`}>
          {code}
        </pre>
      )}
    </section>
  )
}

/** The requests, responses and signatures of the last press of a button. */
function Trace({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <section class="fbr-trace" aria-label="Wire trace">
      <h3>On the wire</h3>
      {steps.length === 0 && (
        <p class="fbr-hint">
          Each request and response appears here, with its headers and without secrets.
        </p>
      )}
      <ol>
        {steps.map((step, index) => (
          <li key={index} class={`fbr-${step.kind}`}>
            <StepView step={step} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepView({ step }: { readonly step: Step }) {
  if (step.kind === 'charge') return <p>{step.text}</p>
  if (step.kind === 'signature') {
    return (
      <details>
        <summary>{step.what}</summary>
        <Text label={step.what} text={step.signed} />
      </details>
    )
  }
  const { method, url, status, ms, request, response } = step
  const { pathname, search } = new URL(url)
  return (
    <details>
      <summary>
        <span class="fbr-method">{method}</span> {pathname}
        {search}{' '}
        <span class={status !== undefined && status < 300 ? 'fbr-good' : 'fbr-warn'}>
          {status ?? 'no response'}
        </span>{' '}
        <span class="fbr-hint">{Math.round(ms)} ms</span>
      </summary>
      <Text label="Request" text={`${method} ${pathname}${search}\n${formatMessage(request)}`} />
      {status !== undefined && (
        <Text label="Response" text={`${status}\n${formatMessage(response)}`} />
      )}
    </details>
  )
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <>
      <h4>{label}</h4>
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </>
  )
}

function formatMessage({ headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [...lines, ...(body === '' ? [] : ['', body])].join('\n')
}
