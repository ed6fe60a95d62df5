import { useState } from 'preact/hooks'
import { curl } from '../copy/curl.js'
import { openai } from '../copy/openai.js'
import { sdk } from '../copy/sdk.js'
import type { Printer, Sent } from '../copy/sent.js'

const printers: readonly { readonly name: string; readonly print: Printer }[] = [
  { name: 'curl', print: curl },
  { name: 'SDK', print: sdk },
  { name: 'openai', print: openai },
]

/** What was just sent, as code. The code is shown, and copied where the browser allows it. */
export function CopyAs({ sent }: { readonly sent: Sent }) {
  const [name, choose] = useState<string>()
  const [said, say] = useState('')
  const code = printers.find((printer) => printer.name === name)?.print(sent)
  const copy = async ({ name, print }: (typeof printers)[number]) => {
    choose(name)
    try {
      await navigator.clipboard.writeText(print(sent))
      say(`Copied as ${name}.`)
    } catch {
      say('The browser does not let this page copy: mark the text below.')
    }
  }
  return (
    <section class="fbr-copy" aria-label="Copy what was sent">
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
        <span role="status">{said}</span>
      </div>
      {code !== undefined && (
        <pre tabIndex={0} role="region" aria-label={`As ${name}`}>
          {code}
        </pre>
      )}
    </section>
  )
}
