import type { Call } from '@farebox/middleware'

type About = {
  /** The same for all events of one call; 0 where no retry numbers the calls. */
  readonly callId: number
  /** The attempt, counted from 1. */
  readonly attempt: number
  /** The operation's id, where one is known. */
  readonly operation: string | undefined
}

/** What happens to a call on its way. No event holds a credential, a header, a body or the query of an address. */
export type CallEvent =
  /** A request leaves. Sign-in and payment may send more than once within an attempt. */
  | (About & { readonly type: 'send'; readonly method: string; readonly url: string })
  /** Its answer has begun. */
  | (About & { readonly type: 'response'; readonly status: number; readonly durationMs: number })
  /** It ended without an answer; `reason` is the error's code or name. */
  | (About & { readonly type: 'failure'; readonly reason: string; readonly durationMs: number })
  /** Another attempt will be made, after a wait as long as the server asked for, or as the backoff says. `attempt` is the one that failed. */
  | (About & { readonly type: 'retry'; readonly reason: string; readonly delayMs: number; readonly source: 'server' | 'backoff' })
  /** The attempt is held back. `delayMs` is what is known of the wait: how long at least; undefined while it depends on answers under way. */
  | (About & {
      readonly type: 'wait'
      readonly by: 'pace' | 'guard'
      readonly reason: string
      readonly delayMs: number | undefined
      /** The server's own word, the table of limits, or the care that is taken before the first answer. */
      readonly source: 'server' | 'limits' | 'in-flight'
    })
  /**
   * No further attempt will be made although the last one failed. `reason` is the code of the error, or the status of the answer. Of an attempt that was
   * `aborted` once it had begun nobody knows here whether pace or guard still held it, so it counts as one that may have arrived.
   */
  | (About & { readonly type: 'give-up'; readonly reason: string; readonly mayHaveArrived: boolean; readonly retryAt?: number | undefined })

export type OnEvent = (event: CallEvent) => void

/** Tells without a chance to change what happens: what `onEvent` throws is dropped. */
export function teller(onEvent: OnEvent | undefined): OnEvent {
  return (event) => {
    try {
      onEvent?.(event)
    } catch {
      // a call must not fail, nor a queue stand still, since nobody could write it down
    }
  }
}

/** What every event says of its call. */
export function about({ attempt, operation }: Call): About {
  return { callId: attempt?.callId ?? 0, attempt: attempt?.number ?? 1, operation: operation?.id }
}

/** The last moment that the attempt may begin. */
export function startByOf({ attempt }: Call): number {
  return attempt?.startBy ?? Infinity
}

/** Addresses may carry secrets behind the question mark. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
