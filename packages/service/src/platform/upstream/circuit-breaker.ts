import type { BreakerSettings } from './upstream-settings.js'

/**
 * `open`: no call is made. `half-open`: one call is made, whose end closes the circuit or opens it
 * again.
 */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** A call that was let through. */
export type CircuitPass = { readonly generation: number }

/** Stops calls to an upstream that fails, and then tries one call at a time. */
export type CircuitBreaker = {
  readonly state: () => CircuitState
  /** Milliseconds until a call is let through. Infinity while the trial call is under way. */
  readonly waitMs: () => number
  /** Lets a call through. Its end is one of the functions below. */
  readonly enter: () => CircuitPass
  readonly succeed: (pass: CircuitPass) => void
  readonly fail: (pass: CircuitPass, settings: BreakerSettings) => void
  /** The call ended without a verdict, because its caller left. */
  readonly abandon: (pass: CircuitPass) => void
}

/** `ticks`: milliseconds that never go back. */
export function createCircuitBreaker(ticks: () => number): CircuitBreaker {
  // calls of an earlier generation say nothing about the upstream of now
  let generation = 0
  let failures = 0
  let openUntil: number | undefined
  let isTrying = false

  const isOpen = () => openUntil !== undefined && ticks() < openUntil
  const become = (until: number | undefined) => {
    generation++
    failures = 0
    openUntil = until
    isTrying = false
  }

  return {
    state: () => (openUntil === undefined ? 'closed' : isOpen() ? 'open' : 'half-open'),

    waitMs: () => {
      if (openUntil === undefined) return 0
      return isTrying ? Infinity : Math.max(0, openUntil - ticks())
    },

    enter: () => {
      isTrying = openUntil !== undefined
      return { generation }
    },

    succeed: (pass) => {
      if (pass.generation !== generation) return
      if (openUntil === undefined) failures = 0
      else become(undefined)
    },

    fail: (pass, settings) => {
      if (pass.generation !== generation) return
      failures++
      if (openUntil !== undefined || failures >= settings.failures) become(ticks() + settings.openMs)
    },

    abandon: (pass) => {
      if (pass.generation === generation) isTrying = false
    },
  }
}
