import { printers } from './call/request.js'
import { findProblems } from './form/problems.js'
import { openWallet } from './session/wallet.js'
import { createSessionStore, type SessionStore } from './session/session.js'
import { defineConsole } from './view/define-console.js'
import { payments } from './view/payments.js'
import { SessionBar } from './view/session-bar.js'

/** Shared by all consoles, and kept when navigation replaces the content of the page. */
let shared: SessionStore | undefined

function openStore(origin: string): SessionStore {
  if (shared !== undefined) return shared
  shared = createSessionStore(origin, sessionStorage)
  // show the address of a stored wallet immediately
  if (shared.get().walletKey !== undefined) void openWallet(shared)
  return shared
}

defineConsole((element) => openStore(element.getAttribute('origin') ?? location.origin), {
  SessionBar,
  findProblems,
  printers,
  payments,
})
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
