import { render } from 'preact'
import type { OperationData } from './contract/operation-data.js'
import { openTarget } from './open-target.js'
import { openWallet } from './session/choose-wallet.js'
import { sessionStore, type SessionStore } from './session/session.js'
import { Console } from './view/console.js'

/** The session of all consoles of this document, and of those that navigation puts in its place. */
let shared: SessionStore | undefined

function openStore(origin: string): SessionStore {
  if (shared !== undefined) return shared
  shared = sessionStore(origin, sessionStorage)
  // a kept wallet shows its address at once
  if (shared.get().walletKey !== undefined) void openWallet(shared)
  return shared
}

/**
 * `<farebox-console origin="…">` with the JSON of an operation in a script within it. It shows the
 * console in place of the script. `origin` is the service that the session begins with.
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
