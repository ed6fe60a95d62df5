// Plain JavaScript, because nothing is compiled yet when it is needed.

/** What the output of a failed command says, and its cause in words with what to do about it. */
const causes = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/,
    'The npm registry cannot be reached. Check the network, or the proxy and the registry that npm is told to use, and run this again.',
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY)|CERT_HAS_EXPIRED/,
    'The certificate of the npm registry is not trusted. NODE_EXTRA_CA_CERTS names a file with one more authority.',
  ],
  [/ENOSPC/, 'The disk is full. The quickstart needs about 500 MB for what it downloads.'],
  [
    /EACCES|EPERM|EROFS/,
    'A folder cannot be written. The clone and your home folder must belong to you.',
  ],
  [
    /E401|E403|ERR_PNPM_FETCH_40[13]/,
    'The npm registry rejects this machine. Check the token in .npmrc.',
  ],
]

/** The cause of a failure, if the output of the command names one. */
export function causeIn(output) {
  return causes.find(([pattern]) => pattern.test(output))?.[1]
}
