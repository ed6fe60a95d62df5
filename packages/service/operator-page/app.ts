import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import type { Call } from './api.js'
import type { Change } from './change-dialog.js'

/** What every section has: calls with the key, and the dialog for changes. */
export type App = {
  readonly call: Call
  /** Whether the service was started with `--operator-changes`. */
  readonly allowsChanges: boolean
  readonly open: (change: Change) => void
  /** Counts refreshes: what was loaded for an earlier number is loaded again. */
  readonly round: number
  /** Tells the app that a section has loaded, or what went wrong. */
  readonly report: (error?: Error) => void
  readonly refresh: () => void
}

export const AppContext = createContext<App | undefined>(undefined)

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error('A section is outside of the app.')
  return app
}

/** Loads at first, whenever an input changes, and on each refresh. */
export function useLoaded<T>(
  load: (call: Call) => Promise<T>,
  inputs: readonly unknown[] = [],
): T | undefined {
  const { call, round, report } = useApp()
  const [loaded, setLoaded] = useState<T>()
  useEffect(() => {
    let isCurrent = true
    load(call).then(
      (value) => {
        if (!isCurrent) return
        setLoaded(value)
        report()
      },
      (error: Error) => isCurrent && report(error),
    )
    return () => {
      isCurrent = false
    }
  }, [call, round, report, ...inputs])
  return loaded
}

/** The section and its query in the address, such as `#accounts?q=tram`. */
export function useAddress(): readonly [
  { section: string; query: string },
  (hash: string) => void,
] {
  const read = () => {
    const [section = '', search = ''] = location.hash.slice(1).split('?')
    return { section, query: new URLSearchParams(search).get('q') ?? '' }
  }
  const [address, setAddress] = useState(read)
  useEffect(() => {
    const follow = () => setAddress(read())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const go = useCallback((hash: string) => void (location.hash = hash), [])
  return [address, go]
}
