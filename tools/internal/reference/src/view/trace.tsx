import type { Message, Step } from '../wire/exchange.js'

/** What went over the wire for the last press of a button, step by step. */
export function Trace({ steps }: { readonly steps: readonly Step[] }) {
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
