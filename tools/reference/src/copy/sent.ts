import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'

/** The last request, without its credential. */
export type Sent = {
  readonly operation: OperationData
  readonly values: Values
  readonly access: CredentialKind
  readonly origin: string
}

/** Prints a request as code that repeats it. Credentials are names of environment variables. */
export type Printer = (sent: Sent) => string

export function toBaseUrl({ origin }: Sent): string {
  return `${origin}/api/v1`
}

/** The fields of the body, without those that are left out. */
export function readBody({ values }: Sent): Readonly<Record<string, unknown>> {
  const body = (values.body ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}
