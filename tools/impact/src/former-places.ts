import type { Change, Contract } from '@farebox/spec-diff'
import type { ContractPlace, ContractPlaces, Owner } from './contract-places.js'

/**
 * A renamed field of the input has its former name. On the wire the parameter has the same one. A
 * parameter that moved keeps its field, so that it moves only where its place is named.
 */
export function placesBefore(
  { code, place, from }: Change,
  places: ContractPlaces,
  base: Contract['api'],
): readonly ContractPlace[] {
  const found = places.at(place)
  if (code === 'request-parameter-moved')
    return found.flatMap(({ owner, path }) => formerPlace(owner, path, String(from), base))
  if (code !== 'request-field-renamed') return found
  return found.flatMap(({ owner }) =>
    owner.kind === 'input' ? [{ owner, path: [String(from)] }] : [],
  )
}

function formerPlace(
  owner: Owner,
  [name]: ContractPlace['path'],
  from: string,
  { operations }: Contract['api'],
): readonly ContractPlace[] {
  if (owner.kind !== 'parameters' || typeof name !== 'string') return []
  const before = operations.find(({ id }) => id === owner.operation)?.parameters ?? []
  const known = before.find(
    (one) => one.in === from && one.name.toLowerCase() === name.toLowerCase(),
  )
  return known === undefined ? [] : [{ owner: { ...owner, in: from }, path: [known.name] }]
}
