import { encodeHex } from '../encoding.js'
import { checksumAddress, isAddress } from '../evm/address.js'
import { permit2Address, createPermitTypedData, uptoProxyAddress } from '../evm/permit2.js'
import { findUsdcContract, type UsdcContract } from '../evm/usdc.js'
import { createEvmRail } from './evm-rail.js'
import { maxValiditySeconds } from './offers.js'
import { PaymentError } from '../errors.js'
import {
  createObjection,
  quote,
  type EvmPaymentSigner,
  type Objection,
  type RailSigner,
} from './payment-rail.js'

export type UptoOptions = {
  /**
   * How much of a token Permit2 may move for the wallet, in atomic units: `allowance(owner,
   * permit2Address)` of the token's contract.
   */
  readonly readAllowance: (query: {
    /** CAIP-2. */
    readonly network: string
    readonly token: string
    readonly owner: string
  }) => Promise<bigint>
}

/** How long after its end a payment may still be settled, because chain clocks differ. */
const graceMs = 60_000

/**
 * A signer that pays offers of the scheme `upto` in USDC: it signs a maximum, and the service
 * settles what the call cost. The caps of `pay` apply to the maximum. Permit2 settles a nonce once.
 *
 * Without a sufficient allowance for Permit2 nothing is signed, and the error names the approval
 * that the wallet has to send once.
 *
 * @example
 * ```ts
 * const readAllowance = ({ token, owner }) =>
 *   client.readContract({
 *     address: token,
 *     abi: erc20Abi,
 *     functionName: 'allowance',
 *     args: [owner, permit2Address],
 *   })
 * const payment = pay(uptoSigner(signer, { readAllowance }), { ...caps, appliesTo: () => true })
 * ```
 */
export function uptoSigner(signer: EvmPaymentSigner, { readAllowance }: UptoOptions): RailSigner {
  const exact = createEvmRail(signer)
  const owner = exact.payer
  return Object.freeze<RailSigner>({
    kind: 'evm',
    address: owner,
    rail: {
      ...exact,
      scheme: 'upto',
      objection: findObjection,
      async sign(offer, terms) {
        const { network, payTo, timeoutSeconds } = offer
        const { amount, now, serviceNow, random } = terms
        const { nonce = `0x${encodeHex(random(new Uint8Array(32)))}` } = terms
        const contract = findUsdcContract(network)
        const { facilitatorAddress } = readExtra(offer.entry)
        if (!contract || typeof facilitatorAddress !== 'string')
          throw new PaymentError('no_acceptable_offer', 'Payment: the offer names no facilitator')
        await requireAllowance(contract, amount)
        const deadline = Math.floor(
          Math.min(serviceNow / 1000 + timeoutSeconds, now / 1000 + maxValiditySeconds),
        )
        const permit2Authorization = {
          from: owner,
          permitted: { token: contract.asset, amount: String(amount) },
          spender: uptoProxyAddress,
          nonce: BigInt(nonce).toString(),
          deadline: String(deadline),
          witness: {
            to: checksumAddress(payTo),
            facilitator: checksumAddress(facilitatorAddress),
            validAfter: '0',
          },
        }
        const signature = await signer.signTypedData(
          createPermitTypedData(contract.chainId, permit2Authorization),
        )
        const heldUntil = Math.max(now + timeoutSeconds * 1000, deadline * 1000) + graceMs
        return { nonce, payload: { signature, permit2Authorization }, heldUntil }
      },
    },
  })

  async function requireAllowance({ network, asset }: UsdcContract, amount: bigint): Promise<void> {
    const allowance = await readAllowance({ network, token: asset, owner })
    if (allowance >= amount) return
    throw new PaymentError(
      'no_acceptable_offer',
      `Payment: nothing was signed, because Permit2 may move ${allowance} units of USDC for ${owner}, and the payment is up to ${amount}. ` +
        `Send approve(${permit2Address}, ${amount}) to ${asset} on ${network} first`,
    )
  }
}

function findObjection(entry: Readonly<Record<string, unknown>>): Objection | undefined {
  const { network, asset, payTo } = entry
  const { facilitatorAddress, assetTransferMethod = 'permit2' } = readExtra(entry)
  const contract = typeof network === 'string' ? findUsdcContract(network) : undefined
  if (!contract || String(asset).toLowerCase() !== contract.asset.toLowerCase())
    return createObjection('the asset is not USDC')
  if (typeof payTo !== 'string' || !isAddress(payTo) || /^0x0+$/.test(payTo))
    return createObjection('the payee is not an address')
  if (assetTransferMethod !== 'permit2')
    return createObjection(`it requires ${quote(assetTransferMethod)}, not Permit2`)
  if (typeof facilitatorAddress !== 'string' || !isAddress(facilitatorAddress))
    return createObjection('the offer names no facilitator')
  return undefined
}

function readExtra({
  extra,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object(extra) as Readonly<Record<string, unknown>>
}
