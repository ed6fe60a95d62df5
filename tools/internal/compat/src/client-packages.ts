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
