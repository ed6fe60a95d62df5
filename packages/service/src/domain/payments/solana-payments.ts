import type { ServiceRail } from './service-rail.js'
import { isSolanaAddress, localBlockhash } from './solana.js'

/** The address known as the incinerator. */
const nobody = '1nc1nerator11111111111111111111111111111111'

/** An address without an owner, so that a chain would never accept the transaction. */
const feePayer = 'FareboxNobodyPaysTheFee11111111111111111111'

export const solanaPayments: ServiceRail = {
  option: 'payToSolana',
  flag: 'pay-to-solana',
  isPayee: isSolanaAddress,
  form: 'base58 of 32 bytes',
  nobody,
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  chain: 'solana',
  offerExtra: () => ({}),
  // the facilitator pays the fee, so it must name the account
  facilitatorExtra: ({ feePayer: named }) =>
    typeof named === 'string' && isSolanaAddress(named) ? { feePayer: named } : undefined,
  localExtra: (now) => ({ feePayer, recentBlockhash: localBlockhash(now) }),
}
