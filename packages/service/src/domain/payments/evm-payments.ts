import { findUsdcContract } from '@farebox/auth/verify'
import type { ServiceRail } from './service-rail.js'

/** An EVM address without an owner. Nothing is submitted to a chain, so nothing arrives there. */
export const nobody = '0x000000000000000000000000000000000000dEaD'

export const evmPayments: ServiceRail = {
  option: 'payTo',
  flag: 'pay-to',
  isPayee: (text) => /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text),
  form: '0x and 40 hex digits that are not all 0',
  nobody,
  network: 'eip155:8453',
  chain: 'base',
  // the EIP-712 domain of the contract
  offerExtra: (network) => {
    const { name, version } = findUsdcContract(network) ?? {}
    return { name, version }
  },
  facilitatorExtra: () => ({}),
  localExtra: () => ({}),
}
