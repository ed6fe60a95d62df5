/** The fields of a sign-in message. Dates are in ISO 8601. */
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
 * The EIP-4361 message with these fields. Lines end with a line feed, except the last one. A
 * missing statement leaves two empty lines.
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function siweMessage(fields: SiwxMessageFields): string {
  return formatMessage('Ethereum', fields, ['', ''])
}

/**
 * The same for a Solana wallet (interface specification, "SIGN-IN-WITH-X header"). A missing
 * statement leaves one empty line.
 */
export function solanaMessage(fields: SiwxMessageFields): string {
  return formatMessage('Solana', fields, [''])
}

function formatMessage(
  chain: string,
  fields: SiwxMessageFields,
  emptyStatement: readonly string[],
): string {
  const { statement, resources } = fields
  const lines = [
    `${fields.domain} wants you to sign in with your ${chain} account:`,
    fields.address,
    ...(statement === undefined ? emptyStatement : ['', statement, '']),
    `URI: ${fields.uri}`,
    'Version: 1',
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...optionalLine('Expiration Time: ', fields.expirationTime),
    ...optionalLine('Not Before: ', fields.notBefore),
    ...optionalLine('Request ID: ', fields.requestId),
    ...(resources ? ['Resources:', ...resources.map((resource) => `- ${resource}`)] : []),
  ]
  return lines.join('\n')
}

function optionalLine(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [label + value]
}
