import type { OperationData, SchemeData } from '../contract/operation-data.js'
import { serviceOrigin, type Session } from './session.js'

/** An alternative by the names of its schemes. Empty for calls without credentials. */
export function nameAlternative(schemes: readonly SchemeData[]): string {
  return schemes.map(({ name }) => name).join(' + ')
}

/** The alternative that the session chose, else the first. */
export function chooseAlternative(
  { access }: OperationData,
  { alternative }: Session,
): readonly SchemeData[] {
  const { alternatives = [] } = access ?? {}
  return (
    alternatives.find((schemes) => nameAlternative(schemes) === alternative) ??
    alternatives[0] ??
    []
  )
}

/** The address in front of the path of an operation. Throws a TypeError if it is not an address. */
export function findBase({ access }: OperationData, session: Session): string {
  if (access === undefined) return `${serviceOrigin(session)}/api/v1`
  // a server may be relative to the place of the document
  return new URL(session.service, globalThis.location?.href).href.replace(/\/+$/, '')
}
