// Top-ups in a separate process, ordered by its parent. Each stops before its file or network
// operation number `step`: forever, or by killing the process.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * @typedef {object} Order
 * @property {string} origin
 * @property {string} folder
 * @property {string} key
 * @property {number} step
 * @property {boolean} kills
 */

let left = Infinity
/**
 * Ends the process, or only the top-up: one that never continues has the effect of a killed
 * process.
 */
let stop = () => {}

async function step() {
  if (left-- > 0) return
  stop()
  await new Promise(() => {})
}

/**
 * @param {Record<string, (...values: never[]) => Promise<unknown>>} object
 * @param {readonly string[]} names
 */
function count(object, names) {
  for (const name of names) {
    const own = object[name]?.bind(object)
    object[name] = async (...values) => (await step(), own?.(...values))
  }
}

const { open } = fs.promises
Object.assign(fs.promises, {
  open: async (/** @type {Parameters<typeof open>} */ ...values) => {
    await step()
    const file = await open(...values)
    count(/** @type {never} */ (file), ['writeFile', 'sync', 'close'])
    return file
  },
})
count(/** @type {never} */ (fs.promises), ['mkdir', 'readdir', 'readFile', 'link', 'rm'])
syncBuiltinESMExports()

const [{ pay }, { privateKeySigner }, { folderPaymentStore }, { withMiddleware }] =
  await Promise.all([
    import('../dist/index.js'),
    import('../dist/keys.js'),
    import('../dist/node/index.js'),
    import('@farebox/middleware'),
  ])
/** @type {typeof fetch} */
const countedFetch = async (...request) => {
  await step()
  const response = await fetch(...request)
  await step()
  return response
}

process.on('message', (/** @type {Order} */ order) => void runOrder(order))

/** @param {Order} order */
async function runOrder({ origin, folder, key, step: last, kills }) {
  const stopped = new Promise((resolve) => {
    stop = () => (kills ? process.kill(process.pid, 'SIGKILL') : resolve('stopped'))
  })
  left = last
  const middleware = pay(privateKeySigner(key), {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    attempts: 1,
    store: folderPaymentStore(folder),
  })
  const result = withMiddleware(countedFetch, middleware)(`${origin}/x402/top-up`, {
    method: 'POST',
  })
  process.send?.(
    await Promise.race([
      stopped,
      result.then(
        ({ status }) => status,
        ({ code }) => code,
      ),
    ]),
  )
}
