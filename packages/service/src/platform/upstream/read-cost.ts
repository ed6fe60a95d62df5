/**
 * The cost that an upstream reports in a header, as USD in decimals, rounded up to a micro-USD.
 * Empty for a header that is not there, or is not such a number.
 */
export function readCost(headers: Headers, name: string | undefined): { readonly costMicroUsd?: bigint } {
  const text = name === undefined ? '' : (headers.get(name) ?? '')
  const [, whole = '', decimals = ''] = /^(\d{1,9})(?:\.(\d{1,30}))?$/.exec(text) ?? []
  if (whole === '') return {}
  const isRounded = /[1-9]/.test(decimals.slice(6))
  return { costMicroUsd: BigInt(whole + decimals.slice(0, 6).padEnd(6, '0')) + (isRounded ? 1n : 0n) }
}
