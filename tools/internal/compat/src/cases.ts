/** What every client must do: one request, or one that is sent again after a rejection. */
export const cases = {
  json: { title: 'POST JSON', body: 'json', rejection: 200, sends: 1 },
  form: { title: 'POST multipart', body: 'form', rejection: 200, sends: 1 },
  unavailable: { title: '503, then 200', body: 'json', rejection: 503, sends: 2 },
  unauthorized: { title: '401, signed anew, then 200', body: 'json', rejection: 401, sends: 2 },
  unpaid: { title: '402, paid, then 200', body: 'json', rejection: 402, sends: 2 },
} as const

export type CaseName = keyof typeof cases
export const caseNames = Object.keys(cases) as readonly CaseName[]

/** The text in each request, and the text of each response. */
export const question = 'Straße'
export const responseText = 'Gleis 9'

/** The file of a form: as many bytes of 7. */
export const fileSize = 100_000

export const walletKey = `0x${'42'.repeat(32)}` as const

/** The clients of the matrix, and the package on npm that each comes from. */
export const clientPackages = {
  openai: 'openai',
  'AI SDK': 'ai',
  'openapi-fetch': 'openapi-fetch',
  'hey-api client': '@hey-api/openapi-ts',
  ky: 'ky',
  'axios, fetch adapter': 'axios',
  ofetch: 'ofetch',
  'TanStack Query': '@tanstack/query-core',
  '@x402/fetch': '@x402/fetch',
} as const

export type ClientName = keyof typeof clientPackages
