// Loaded into a service before its own code (`node --import`). It moves the wall clock of the
// process as an administrator or NTP would: at once, while it runs, and not its timers.
import { isMainThread } from 'node:worker_threads'

const RealDate = Date
let offsetMs = 0

class SkewedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + offsetMs)
    else super(...(given as ConstructorParameters<typeof RealDate>))
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

// the harness sends the offset in milliseconds
if (isMainThread && process.send) {
  globalThis.Date = SkewedDate as DateConstructor
  process.on('message', (message) => {
    if (typeof message === 'number') offsetMs = message
  })
  process.channel?.unref()
}
