import { readFile, rename, writeFile } from 'node:fs/promises'
import { payment, type PaymentRecord, type PaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'

/**
 * Keeps signed payments in a file, so that caps and unsettled payments outlive the process. One
 * process at a time.
 */
function fileStore(path: string): PaymentStore {
  const list = async (): Promise<readonly PaymentRecord[]> =>
    JSON.parse(await readFile(path, 'utf8').catch(() => '[]')) as readonly PaymentRecord[]
  return {
    list,
    put: async (record) => {
      const others = (await list()).filter(({ nonce }) => nonce !== record.nonce)
      await writeFile(`${path}.new`, JSON.stringify([...others, record]), { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
  }
}

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const store = fileStore('payments.json')
const pay = payment(privateKeySigner(generatePrivateKey()), { origin: baseUrl, amountUsd: 5, maxUsdPerPayment: 5, maxUsdPerDay: 20, store })
const { status } = await withMiddleware(fetch, pay)(`${baseUrl}/x402/top-up`, { method: 'POST' })
console.log(status, (await store.list()).map(({ amount, state }) => `${amount} ${state}`).join())
