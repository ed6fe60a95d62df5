import { toKebab, toPascal } from './names.js'

export function verifierText(name: string): string {
  return `import { refusedPayment } from './errors.js'
import type { Rail } from './rail.js'

/**
 * Not written yet: no network has a token, so that every payment is refused as \`invalid_network\`.
 */
export const ${name}Rail: Rail = {
  networks: /^${toKebab(name)}(?:$|[:-])/,
  tokens: [],
  isSame: (one, other) => one === other,
  terms: [],
  otherPayee: 'invalid_payment_requirements',
  read: (payload) => payload,
  verify: async () => {
    throw refusedPayment('invalid_network', 'payments on ${toPascal(name)} are not verified yet')
  },
}
`
}

export function verifierTest(name: string): string {
  return `import { expect, it } from 'vitest'
import { verifyPaymentAuthorization } from './verify-payment-authorization.js'

it('refuses every payment', async () => {
  const offer = { scheme: 'exact', network: '${toKebab(name)}:main', amount: '5000000', asset: 'usdc', payTo: 'payee', maxTimeoutSeconds: 300 }
  const payment = { x402Version: 2, accepted: offer, payload: {} }
  await expect(verifyPaymentAuthorization(payment, offer)).rejects.toMatchObject({ code: 'invalid_network' })
})
`
}

export function signerText(name: string): string {
  const title = toPascal(name)
  return `import { PaymentError } from '../errors.js'
import { createObjection, type RailSigner } from '../payment/payment-rail.js'

const network = '${toKebab(name)}:main'
const notYet = 'payments on ${title} are not signed yet'

/** Not written yet: objects to every offer, so that nothing is signed. */
export function ${name}PaymentSigner(address: string): RailSigner {
  return Object.freeze<RailSigner>({
    kind: '${name}',
    address,
    rail: {
      payer: address,
      networks: [network],
      networkOf: (name) => (name === network ? network : undefined),
      objection: () => createObjection(notYet),
      isSame: (one, other) => one === other,
      sign: async () => {
        throw new PaymentError('no_acceptable_offer', \`Payment: \${notYet}\`)
      },
    },
  })
}
`
}

export function signerTest(name: string): string {
  const file = toKebab(name)
  return `import { expect, it } from 'vitest'
import { pay } from '../payment/pay.js'
import { memoryPaymentStore } from '../payment/payment-store.js'
import { ${name}PaymentSigner } from './${file}-payment-signer.js'

it('pays no offer, and says why', async () => {
  const offer = { scheme: 'exact', network: '${file}:main', amount: '5000000', asset: 'usdc', payTo: 'payee', maxTimeoutSeconds: 300 }
  const send = async () => Response.json({ x402Version: 2, accepts: [offer] }, { status: 402 })
  const store = memoryPaymentStore()
  const payment = pay(${name}PaymentSigner('wallet'), { origin: 'http://127.0.0.1', maxUsdPerPayment: 10, maxUsdPerDay: 10, store })
  const call = { url: 'http://127.0.0.1/api/v1/x402/top-up', method: 'POST', headers: new Headers() }
  await expect(payment(send)(call)).rejects.toMatchObject({
    code: 'no_acceptable_offer',
    message: expect.stringContaining('payments on ${toPascal(name)} are not signed yet') as string,
  })
})
`
}

export function serviceText(name: string): string {
  const file = toKebab(name)
  return `/** Not written yet: no payee is taken, and without known USDC nothing is offered. */
const ${name}Payments: ServiceRail = {
  option: 'payTo${toPascal(name)}',
  flag: 'pay-to-${file}',
  isPayee: () => false,
  form: 'nothing yet: payments on ${toPascal(name)} are not written',
  nobody: '',
  network: '${file}:main',
  chain: '${file}',
  offerExtra: () => ({}),
  facilitatorExtra: () => undefined,
  localExtra: () => ({}),
}
`
}
