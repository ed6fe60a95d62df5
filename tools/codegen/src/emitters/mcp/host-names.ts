import { uniqueNames } from '../../ir/names.js'

/** What every host accepts as the name of a tool or of a property of its input. */
const accepted = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Gives each name one that every host of the Model Context Protocol accepts, unique among all of
 * them. Accepted names stay; `page[limit]` becomes page_limit, and a long name ends in its hash.
 */
export function hostNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const all = new Set(names)
  const unique = uniqueNames([...all].filter((name) => accepted.test(name)))
  return new Map(
    [...all].map((name) => [name, accepted.test(name) ? name : unique(acceptedName(name))]),
  )
}

function acceptedName(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[a-zA-Z0-9_-]+/g) ?? []
  const plain = words.join('_')
  const isReadable = plain.length >= Math.max(1, name.length / 2)
  const short = isReadable && plain.length <= 60
  return short ? plain : `${plain.slice(0, 50)}${plain === '' ? 'field' : ''}_${hash(name)}`
}

/** FNV-1a of 32 bits: a shortened name stays the same whatever stands beside it. */
function hash(name: string): string {
  let sum = 0x811c9dc5
  for (let index = 0; index < name.length; index++)
    sum = Math.imul(sum ^ name.charCodeAt(index), 0x01000193)
  return (sum >>> 0).toString(16).padStart(8, '0')
}
