// Calls of one process: `node pacing-process.mjs FOLDER START CALLS`, with a channel to its parent.
// The parent is the service, and moves the clock. The reply to `{ run: TIME }` is
// `{ ran: TIME, next: TIME }`, once no file or channel operation is pending at that time: the
// clock does not advance while a file or the service is busy.
import { compose } from '@farebox/middleware'
import { virtualClock } from '@farebox/testing/virtual-clock'
import { failureBudget, rateLimit } from '../dist/index.js'
import { fileLimitStore } from '../dist/node/index.js'

const [folder = '', start = '', calls = ''] = process.argv.slice(2)
const clock = virtualClock(Number(start))
const files = fileLimitStore(folder)
/** How many operations on files and on the service are pending. */
const busy = { count: 0 }
let idle = () => {}
const done = () => {
  if (--busy.count === 0) idle()
}
/** @type {Map<number, (response: Response) => void>} */
const open = new Map()

/** @type {import('../dist/index.js').LimitStore} */
const store = {
  update: async (...values) => {
    busy.count++
    try {
      await files.update(...values)
    } finally {
      done()
    }
  },
}
const limits = { now: clock.now, wait: clock.wait, caller: 'one key', store }
const send = compose(async () => {
  await clock.wait(20)
  busy.count++
  const id = open.size
  process.send?.({ id })
  const response = await new Promise((resolve) => void open.set(id, resolve))
  done()
  await clock.wait(20)
  return response
}, [rateLimit({ ...limits, maxWaitMs: 600_000 }), failureBudget(limits)])

process.on(
  'message',
  (
    /** @type {{ run?: number, id?: number, status?: number, headers?: Record<string, string> }} */
    message,
  ) => {
    const { run, id = 0, status, headers } = message
    if (run === undefined)
      open.get(id)?.(new Response(null, { status: status ?? 500, headers: headers ?? {} }))
    else void runTo(run)
  },
)

/** @param {number} time */
async function runTo(time) {
  await clock.run(time)
  while (busy.count > 0) {
    await new Promise((resolve) => void (idle = () => resolve(undefined)))
    await clock.run(time)
  }
  process.send?.({ ran: time, next: clock.next() })
}

const limit = { default: { requests: 60 } }
const operation = {
  id: 'createSpeech',
  method: 'POST',
  path: '/audio/speech',
  security: [],
  idempotent: false,
  rateLimit: 'audio',
  limits: limit,
}
const call = {
  url: 'http://api.example/audio/speech',
  method: 'POST',
  headers: new Headers(),
  operation,
}
for (let count = 0; count < Number(calls); count++) send(call).catch(() => undefined)
void runTo(Number(start))
