import { render } from 'preact'
import type { OperationData } from './contract/operation-data.js'
import { openWallet } from './session/wallet.js'
import { createSessionStore, type SessionStore } from './session/session.js'
import { Console } from './view/console.js'

/** Shared by all consoles, and kept when navigation replaces the content of the page. */
let shared: SessionStore | undefined

function openStore(origin: string): SessionStore {
  if (shared !== undefined) return shared
  shared = createSessionStore(origin, sessionStorage)
  // show the address of a stored wallet immediately
  if (shared.get().walletKey !== undefined) void openWallet(shared)
  return shared
}

/**
 * `<farebox-console origin="…">` with the operation as JSON in a `<script>`, which the console
 * replaces. `origin` is the default service of the session.
 */
class FareboxConsole extends HTMLElement {
  connectedCallback(): void {
    const data = this.querySelector('script')?.textContent
    if (data === null || data === undefined) return
    const closed = this.closest('details:not([open])')
    if (closed !== null)
      return closed.addEventListener('toggle', () => this.connectedCallback(), { once: true })
    const place = this.querySelector('div') ?? this.appendChild(document.createElement('div'))
    const operation = JSON.parse(data) as OperationData
    render(
      <Console
        operation={operation}
        store={openStore(this.getAttribute('origin') ?? location.origin)}
      />,
      place,
    )
  }

  disconnectedCallback(): void {
    const place = this.querySelector('div')
    if (place !== null) render(null, place)
  }
}

customElements.define('farebox-console', FareboxConsole)
openTarget()

/** Opens the operation in the fragment of the address, now and whenever it changes. */
function openTarget(): void {
  const open = () => {
    const target = document.querySelector(`details[id="${CSS.escape(location.hash.slice(1))}"]`)
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  addEventListener('hashchange', open)
  open()
}
