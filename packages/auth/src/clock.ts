/** The time of the service, as far as its answers tell it. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Takes the Date header of an answer to heart. */
  readonly learn: (response: Response) => void
}

/** Date counts whole seconds and is as old as the answer's way here: a smaller difference says nothing. */
const tolerance = 5_000

/** A clock that follows the service's Date header, so that a client whose own clock is wrong can still sign in. */
export function serverClock(now: () => number): Clock {
  let offset = 0
  return {
    now: () => now() + offset,
    learn(response) {
      // an answer out of a cache carries an old Date
      const date = response.headers.has('age') ? NaN : Date.parse(response.headers.get('date') ?? '')
      const error = date - (now() + offset)
      if (Math.abs(error) > tolerance) offset += error
    },
  }
}
