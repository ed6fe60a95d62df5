// The script of every page that `farebox-codegen --only docs` writes.
import type { OperationData } from '../contract/operation-data.js'
import { createSessionStore, type SessionStore } from '../session/session.js'
import { findMissing } from '../form/problems.js'
import { defineConsole } from '../view/define-console.js'
import { AccessBar } from './access-bar.js'
import { returnFromSignIn } from './oauth.js'
import { printers } from './printers.js'

defineConsole(openStore, {
  SessionBar: AccessBar,
  findProblems: async (operation, values) => findMissing(operation, values),
  printers,
})
startFilter(document)
returnFromSignIn(location)

/** Other references on the same host, and other servers, have sessions of their own. */
function openStore(_: HTMLElement, { access }: OperationData): SessionStore {
  const [server = location.origin] = access?.servers ?? []
  const { pathname } = new URL('..', location.href)
  return createSessionStore(server, openStorage(), `farebox-docs ${pathname} ${server}`)
}

/** The storage of the tab, or none where the browser does not allow it. */
function openStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  try {
    return sessionStorage
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined }
  }
}

/** Shows only the operations that contain all words of the filter. `/` moves to it. */
function startFilter(page: Document): void {
  const input = page.querySelector<HTMLInputElement>('#filter')
  const status = page.querySelector('#filter-status')
  if (input === null || status === null) return
  const sections = [...page.querySelectorAll<HTMLElement>('section.tag')].map((section) => ({
    section,
    items: [...section.querySelectorAll('li')].map((item) => ({
      item,
      text: `${section.querySelector('h2')?.textContent ?? ''} ${item.dataset['id'] ?? ''} ${item.textContent}`.toLowerCase(),
    })),
  }))
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/)
    let count = 0
    for (const { section, items } of sections) {
      let found = 0
      for (const { item, text } of items) {
        item.hidden = !words.every((word) => text.includes(word))
        if (!item.hidden) found++
      }
      section.hidden = found === 0
      count += found
    }
    status.textContent = `${count} ${count === 1 ? 'operation' : 'operations'}`
  }
  input.addEventListener('input', filter)
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') page.querySelector<HTMLElement>('section.tag li:not([hidden]) a')?.click()
  })
  page.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (key !== '/' || (target instanceof HTMLElement && target.matches('input, textarea, select')))
      return
    event.preventDefault()
    input.focus()
  })
  // a browser that goes back restores the words
  addEventListener('pageshow', filter)
  input.closest('search')?.removeAttribute('hidden')
  filter()
}
