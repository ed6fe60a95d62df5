import { changeset, newFile, ScaffoldError, type Addition, type Read } from './addition.js'
import { addImport, addToTable, addToUnion, editSource, insert } from './edit-source.js'
import { camelName, toKebab, toPascal } from './names.js'
import { serviceText, signerTest, signerText, verifierTest, verifierText } from './rail-files.js'

/**
 * Adds a payment rail in its three places: a signer that brings it, its verification, and how the
 * service is paid by it. The first version refuses every payment, and nothing is offered on it.
 */
export function rail(options: { readonly name: string }, read: Read): Addition {
  const name = camelName(options.name)
  const [file, title] = [toKebab(name), toPascal(name)]
  const auth = 'packages/auth/src'
  const payments = 'packages/service/src/domain/payments'
  return {
    files: [
      newFile(`${auth}/${file}/${file}-payment-signer.ts`, signerText(name)),
      newFile(`${auth}/${file}/${file}-payment-signer.test.ts`, signerTest(name)),
      newFile(
        `${auth}/${file}.ts`,
        `export { ${name}PaymentSigner } from './${file}/${file}-payment-signer.js'\n`,
      ),
      {
        path: 'packages/auth/package.json',
        text: withEntry(read('packages/auth/package.json'), file),
        isNew: false,
      },
      newFile(`${auth}/verify/${file}-rail.ts`, verifierText(name)),
      newFile(`${auth}/verify/${file}-rail.test.ts`, verifierTest(name)),
      editSource(`${auth}/verify/verify-payment-authorization.ts`, read, (source) => {
        addImport(source, `./${file}-rail.js`, `${name}Rail`)
        addToTable(source, 'rails', name, `${name}Rail`)
      }),
      editSource(`${auth}/verify/rail.ts`, read, (source) => {
        addToUnion(source, 'VerifiedPayment', `(Verified & { readonly kind: '${name}' })`)
      }),
      editSource(`${payments}/payment-rails.ts`, read, (source) => {
        const table = source.getVariableStatementOrThrow('paymentRails')
        source.insertStatements(table.getChildIndex(), serviceText(name))
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
      changeset(
        `rail-${file}`,
        { '@farebox/auth': 'minor', '@farebox/service': 'minor' },
        `A payment rail for ${title}, which refuses every payment so far.`,
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
