import { useState } from 'preact/hooks'
import { curl } from '../copy/curl.js'
import { openai } from '../copy/openai.js'
import { sdk } from '../copy/sdk.js'
import type { Printer, Planned } from '../copy/planned.js'

const printers: readonly { readonly name: string; readonly print: Printer }[] = [
  { name: 'curl', print: curl },
  { name: 'SDK', print: sdk },
  { name: 'openai', print: openai },
]

/** The request as code, which follows what is typed. It is shown, and copied where the browser allows it. */
export function CopyAs({ planned }: { readonly planned: Planned }) {
  const [name, choose] = useState<string>()
  const [said, say] = useState('')
  const code = printers.find((printer) => printer.name === name)?.print(planned)
  const copy = async ({ name, print }: (typeof printers)[number]) => {
    choose(name)
    try {
      await navigator.clipboard.writeText(print(planned))
      say(`Copied as ${name}.`)
    } catch {
      say('The browser does not let this page copy: mark the text below.')
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
