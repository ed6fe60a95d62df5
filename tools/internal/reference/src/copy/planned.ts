import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'

/** A request as it is typed, without its credential. */
export type Planned = {
  readonly operation: OperationData
  readonly values: Values
  readonly access: CredentialKind
  readonly origin: string
}

/** Prints a request as code that makes it. Credentials are names of environment variables. */
export type Printer = (planned: Planned) => string

export function toBaseUrl({ origin }: Planned): string {
  return `${origin}/api/v1`
}

/** The fields of the body, without those that are left out. */
export function readBody({ values }: Planned): Readonly<Record<string, unknown>> {
  const body = (values.body ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}
