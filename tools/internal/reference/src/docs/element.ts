// The script of every page that `farebox-codegen --only docs` writes.
import type { OperationData } from '../contract/operation-data.js'
import { createSessionStore, type SessionStore } from '../session/session.js'
import { defineConsole } from '../view/define-console.js'
import { AccessBar } from './access-bar.js'
import { startFilter } from './filter.js'
import { findMissing } from './find-missing.js'
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
