import type { WalletSigner } from '@farebox/auth'
import type { TransactionHistory, WalletBalance } from '@farebox/types'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import type { Check, Subject } from '../subject.js'
import { must } from '../check.js'
import type { Credential } from '../probe.js'

const rule = 'Authentication: SIGN-IN-WITH-X header'
const ledger = 'GET /x402/transactions/{walletAddress}'

const wallet = (
  signer: WalletSigner,
  more: Omit<Extract<Credential, { readonly kind: 'wallet' }>, 'kind' | 'signer'> = {},
): Credential => ({
  kind: 'wallet',
  signer,
  ...more,
})
const createPath = ({ stranger }: Subject) => ({ walletAddress: stranger.address })

/** The operations of the contract that cost something. */
const priced = Object.values<Operation>(operations).filter(
  ({ billing, priceUsd }) => priceUsd !== undefined || (billing ?? 'payment') !== 'payment',
) as readonly (Operation & { readonly id: OperationId })[]

/**
 * Authentication and authorization. These checks are free: the wallets are generated for this run.
 */
export const access: readonly Check[] = [
  {
    id: 'access.none',
    title: 'a request without a credential is rejected',
    rule: 'Authentication',
    run: async (subject) => {
      const { probe } = subject
      await probe.call('getRateLimits', 401)
      await probe.call('listTransactions', 401, { path: createPath(subject) })
      // an operation that a wallet can pay may also respond with 402 and its offers
      for (const { id } of priced) await probe.call(id, [401, 402], { json: {} })
    },
  },
  {
    id: 'access.wrong-key',
    title: 'an unknown key is 401',
    rule: 'Authentication: BearerAuth',
    run: async ({ probe }) =>
      void (await probe.call('getRateLimits', 401, {
        as: { kind: 'key', key: 'farebox-verify-no-such-key' },
      })),
  },
  {
    id: 'access.evm',
    title: 'an EVM wallet signs in',
    rule,
    run: async (subject) => {
      const { data } = (
        await subject.probe.call('getBalance', 200, {
          path: createPath(subject),
          as: wallet(subject.stranger),
        })
      ).json as WalletBalance
      must(
        data.walletAddress.toLowerCase() === subject.stranger.address.toLowerCase(),
        subject.stranger.address,
        data.walletAddress,
      )
      must(data.balanceUsd === 0 && !data.canConsume, 'no credit in a new wallet', data)
    },
  },
  {
    id: 'access.solana',
    title: 'a Solana wallet signs in',
    rule,
    run: async ({ probe, solanaStranger }) => {
      const path = { walletAddress: solanaStranger.address }
      const { data } = (await probe.call('getBalance', 200, { path, as: wallet(solanaStranger) }))
        .json as WalletBalance
      must(
        data.walletAddress === solanaStranger.address,
        solanaStranger.address,
        data.walletAddress,
      )
    },
  },
  {
    id: 'access.legacy-header',
    title: 'the former header X-Sign-In-With-X is accepted',
    rule: 'Versioning, rule 3',
    run: async (subject) =>
      void (await subject.probe.call('getBalance', 200, {
        path: createPath(subject),
        as: wallet(subject.stranger, { header: 'x-sign-in-with-x' }),
      })),
  },
  {
    id: 'access.foreign',
    title: "another wallet's ledger is 403",
    rule: ledger,
    run: async ({ probe, stranger, solanaStranger }) =>
      void (await probe.call('listTransactions', 403, {
        path: { walletAddress: solanaStranger.address },
        as: wallet(stranger),
      })),
  },
  {
    id: 'access.forged',
    title: 'a signature of another message is 401',
    rule,
    run: async (subject) => {
      const { probe, stranger } = subject
      const payload = JSON.parse(
        Buffer.from(await probe.signIn(stranger), 'base64').toString(),
      ) as { readonly signature: string }
      const forged = { ...payload, signature: await stranger.sign('something else') }
      const headers = { 'sign-in-with-x': Buffer.from(JSON.stringify(forged)).toString('base64') }
      await probe.call('getBalance', 401, { path: createPath(subject), headers })
    },
  },
  {
    id: 'access.expired',
    title: 'an expired message is 401',
    rule,
    run: async (subject) => {
      const now = () => Date.now() - 3_600_000
      await subject.probe.call('getBalance', 401, {
        path: createPath(subject),
        as: wallet(subject.stranger, { options: { now } }),
      })
    },
  },
  {
    id: 'access.other-domain',
    title: 'a message signed for another service is 401',
    rule,
    run: async (subject) => {
      const options = { domain: 'verify.farebox.example', uri: 'https://verify.farebox.example' }
      await subject.probe.call('getBalance', 401, {
        path: createPath(subject),
        as: wallet(subject.stranger, { options }),
      })
    },
  },
  {
    id: 'ledger.empty',
    title: 'the ledger of a new wallet is empty, 50 entries a page',
    rule: ledger,
    run: async (subject) => {
      const { data } = (
        await subject.probe.call('listTransactions', 200, {
          path: createPath(subject),
          as: wallet(subject.stranger),
        })
      ).json as TransactionHistory
      must(data.transactions.length === 0 && data.currentBalance === 0, 'no entries', data)
      must(
        !data.pagination.hasMore && data.pagination.limit === 50 && data.pagination.offset === 0,
        'limit 50, offset 0, no more',
        data.pagination,
      )
    },
  },
  {
    id: 'ledger.range',
    title: 'a page of 0 or 101 entries is 400',
    rule: `${ledger}: limit 1-100`,
    run: async (subject) => {
      for (const limit of [0, 101]) {
        await subject.probe.call('listTransactions', 400, {
          path: createPath(subject),
          query: { limit },
          as: wallet(subject.stranger),
        })
      }
    },
  },
  {
    id: 'wallet.poor',
    title: 'a priced call from a wallet without credit is 402 with how to top up',
    rule: 'Errors: 402, body carries top-up instructions',
    run: async ({ probe, stranger }) => {
      const form = new FormData()
      form.set('file', new Blob(['Tram fares']), 'fares.txt')
      const { json } = await probe.call('parseText', 402, { form, as: wallet(stranger) })
      must(
        typeof json === 'object' && json !== null && Object.keys(json).length > 1,
        'more than an error message',
        json,
      )
    },
  },
]
