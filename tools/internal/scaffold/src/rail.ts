import {
  createChangeset,
  createNewFile,
  ScaffoldError,
  type Addition,
  type SourceReader,
} from './addition.js'
import { addImport, addToTable, addToUnion, editSource, insert } from './edit-source.js'
import { requireCamelCase, toKebab, toPascal } from './names.js'

/**
 * Adds a payment rail in its three places: a signer that brings it, its verification, and how the
 * service is paid by it. The first version rejects every payment, and nothing is offered on it.
 */
export function addRail(options: { readonly name: string }, read: SourceReader): Addition {
  const name = requireCamelCase(options.name)
  const [file, title] = [toKebab(name), toPascal(name)]
  const auth = 'packages/auth/src'
  const payments = 'packages/service/src/domain/payments'
  return {
    files: [
      createNewFile(`${auth}/${file}/${file}-payment-signer.ts`, printSigner(name)),
      createNewFile(`${auth}/${file}/${file}-payment-signer.test.ts`, printSignerTest(name)),
      createNewFile(
        `${auth}/${file}.ts`,
        `export { ${name}PaymentSigner } from './${file}/${file}-payment-signer.js'\n`,
      ),
      {
        path: 'packages/auth/package.json',
        text: withEntry(read('packages/auth/package.json'), file),
        isNew: false,
      },
      createNewFile(`${auth}/verify/${file}-rail.ts`, printVerifier(name)),
      createNewFile(`${auth}/verify/${file}-rail.test.ts`, printVerifierTest(name)),
      editSource(`${auth}/verify/verify-payment-authorization.ts`, read, (source) => {
        addImport(source, `./${file}-rail.js`, `${name}Rail`)
        addToTable(source, 'rails', name, `${name}Rail`)
      }),
      editSource(`${auth}/verify/rail.ts`, read, (source) => {
        addToUnion(
          source,
          'VerifiedPayment',
          `(VerifiedFields & { readonly kind: '${name}'; readonly scheme: 'exact' })`,
        )
      }),
      editSource(`${payments}/payment-rails.ts`, read, (source) => {
        const table = source.getVariableStatementOrThrow('paymentRails')
        source.insertStatements(table.getChildIndex(), printServiceRail(name))
        addToTable(source, 'paymentRails', name, `${name}Payments`)
        const payees = source.getTypeAliasOrThrow('PayeeOptions')
        const doc = `/** The ${title} payee of offers. Default: an address without an owner. */`
        payees.setType(
          payees
            .getTypeNodeOrThrow()
            .getText()
            .replace(/\}$/, `${doc}\nreadonly payTo${title}?: string\n}`),
        )
        addToUnion(source, 'PayeeFlag', `'pay-to-${file}'`)
      }),
      insert(
        'packages/service/src/command/settings/program.ts',
        read,
        { after: `'the Solana address that they pay to'),\n` },
        `    text('pay-to-${file}', 'ADDRESS', 'the ${title} address that they pay to'),\n`,
      ),
      insert(
        'packages/auth/README.md',
        read,
        {
          after:
            '`solanaPaymentSigner(source)` of `@farebox/auth/solana` | if the source can | yes |\n',
        },
        `| a ${title} wallet | \`${name}PaymentSigner(address)\` of \`@farebox/auth/${file}\` | no | not yet |\n`,
      ),
      createChangeset(
        `rail-${file}`,
        { '@farebox/auth': 'minor', '@farebox/service': 'minor' },
        `A payment rail for ${title}, which rejects every payment so far.`,
      ),
    ],
    next: [
      `${auth}/verify/${file}-rail.ts: state the known USDC and the names of the networks; read and verify a payment`,
      `${auth}/verify/rail.ts: give the verified payment of ${title} what its settlement needs`,
      `${auth}/verify/errors.ts: add the codes of x402 for ${title}; ${payments}/read-payment.ts maps them for callers`,
      `${auth}/${file}/${file}-payment-signer.ts: decide which offers may be paid, and sign one`,
      `${payments}/payment-rails.ts: check the form of a payee, and state the "extra" of an offer and of a facilitator`,
      `tools/internal/release/src/budgets.ts: give @farebox/auth/${file} a budget`,
      `packages/conformance/src/checks/payment.ts: decide whether another service may offer ${title}`,
      `packages/auth/README.md and .changeset/rail-${file}.md: describe it`,
      'npx vitest run tests/public-surface.test.ts -u, and read its diff',
      'pnpm test && pnpm check',
    ],
  }
}

type Manifest = { readonly exports: Entries; readonly publishConfig: { readonly exports: Entries } }
type Entries = Readonly<Record<string, unknown>>

/** With another entry before `./verify`. */
function withEntry(text: string, file: string): string {
  const manifest = JSON.parse(text) as Manifest
  if (`./${file}` in manifest.exports)
    throw new ScaffoldError(
      `packages/auth/package.json has an entry ./${file} already; choose another name.`,
    )
  const built = { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` }
  const inside = withKey(manifest.exports, file, {
    '@farebox/source': `./src/${file}.ts`,
    ...built,
  })
  const outside = {
    ...manifest.publishConfig,
    exports: withKey(manifest.publishConfig.exports, file, built),
  }
  return `${JSON.stringify({ ...manifest, exports: inside, publishConfig: outside }, null, 2)}\n`
}

function withKey(entries: Entries, file: string, value: object): Entries {
  return Object.fromEntries(
    Object.entries(entries).flatMap((entry) =>
      entry[0] === './verify' ? [[`./${file}`, value], entry] : [entry],
    ),
  )
}

function printVerifier(name: string): string {
  return `import { createVerificationError } from './errors.js'
import type { Rail } from './rail.js'

/**
 * Not written yet: no network has a token, so that every payment is rejected as \`invalid_network\`.
 */
export const ${name}Rail: Rail = {
  scheme: 'exact',
  networks: /^${toKebab(name)}(?:$|[:-])/,
  tokens: [],
  isSame: (one, other) => one === other,
  terms: [],
  otherPayee: 'invalid_payment_requirements',
  read: (payload) => payload,
  verify: async () => {
    throw createVerificationError('invalid_network', 'payments on ${toPascal(name)} are not verified yet')
  },
}
`
}

function printVerifierTest(name: string): string {
  return `import { expect, it } from 'vitest'
import { verifyPaymentAuthorization } from './verify-payment-authorization.js'

it('rejects every payment', async () => {
  const offer = { scheme: 'exact', network: '${toKebab(name)}:main', amount: '5000000', asset: 'usdc', payTo: 'payee', maxTimeoutSeconds: 300 }
  const payment = { x402Version: 2, accepted: offer, payload: {} }
  await expect(verifyPaymentAuthorization(payment, offer)).rejects.toMatchObject({ code: 'invalid_network' })
})
`
}

function printSigner(name: string): string {
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

function printSignerTest(name: string): string {
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

function printServiceRail(name: string): string {
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
  facilitatorExtra: { exact: () => undefined },
  localExtra: () => ({}),
}
`
}
