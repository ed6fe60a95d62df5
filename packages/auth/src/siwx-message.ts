/** The fields of a sign-in message that we write. Dates are ISO texts. */
export type SiwxMessageFields = {
  /** Host, with its port if it has one. */
  readonly domain: string
  readonly address: string
  /** One line of ASCII. */
  readonly statement?: string
  readonly uri: string
  /** EVM: digits. Solana: the reference of the network. */
  readonly chainId: number | string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  readonly requestId?: string
  readonly resources?: readonly string[]
}

/**
 * The EIP-4361 text of the fields: line feeds only, none at the end, two empty lines where there is no statement.
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function siweMessage(fields: SiwxMessageFields): string {
  const { statement } = fields
  return lines([...opening(fields, 'Ethereum'), ...(statement === undefined ? ['', ''] : ['', statement, '']), ...body(fields)])
}

/** The same for a Solana wallet (interface specification, "SIGN-IN-WITH-X header"): one empty line where there is no statement. */
export function solanaMessage(fields: SiwxMessageFields): string {
  const { statement } = fields
  return lines([...opening(fields, 'Solana'), ...(statement === undefined ? [''] : ['', statement, '']), ...body(fields)])
}

function opening({ domain, address }: SiwxMessageFields, chain: string): string[] {
  return [`${domain} wants you to sign in with your ${chain} account:`, address]
}

function body({ uri, chainId, nonce, issuedAt, ...rest }: SiwxMessageFields): (string | undefined)[] {
  return [
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    optional('Expiration Time', rest.expirationTime),
    optional('Not Before', rest.notBefore),
    optional('Request ID', rest.requestId),
    ...(rest.resources ? ['Resources:', ...rest.resources.map((resource) => `- ${resource}`)] : []),
  ]
}

function optional(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${name}: ${value}`
}

function lines(all: readonly (string | undefined)[]): string {
  return all.filter((line) => line !== undefined).join('\n')
}
