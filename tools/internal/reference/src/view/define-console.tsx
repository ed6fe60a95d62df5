import { render } from 'preact'
import type { OperationData } from '../contract/operation-data.js'
import type { SessionStore } from '../session/session.js'
import { Console } from './console.js'
import type { Edition } from './edition.js'

/**
 * Defines `<farebox-console>`, with the operation as JSON in a `<script>`, which the console
 * replaces.
 */
export function defineConsole(
  openStore: (element: HTMLElement, operation: OperationData) => SessionStore,
  edition: Edition,
): void {
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
        <Console operation={operation} store={openStore(this, operation)} edition={edition} />,
        place,
      )
    }

    disconnectedCallback(): void {
      const place = this.querySelector('div')
      if (place !== null) render(null, place)
    }
  }

  customElements.define('farebox-console', FareboxConsole)
}
