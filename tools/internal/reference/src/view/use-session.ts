import { useEffect, useState } from 'preact/hooks'
import type { Session, SessionStore } from '../session/session.js'

/** The session, and again after each change of it. */
export function useSession(store: SessionStore): Session {
  const [session, show] = useState(store.get)
  useEffect(() => {
    show(store.get())
    return store.subscribe(() => show(store.get()))
  }, [store])
  return session
}
