import type { Api } from '../../ir/api.js'
import { uniqueNames } from '../../ir/names.js'
import { code, symbol } from '../code.js'
import type { TypeContext } from '../type-text.js'

/** The date types in a file that declares the schemas of a document, whose names they avoid. */
export function dateType({ schemas }: Api): NonNullable<TypeContext['date']> {
  const names = schemas.map(({ name }) => name)
  const temporal = symbol('Temporal', 'temporal-spec', {
    typeOnly: true,
    as: uniqueNames(names)('Temporal'),
  })
  const date = names.includes('Date') ? code`globalThis.Date` : code`Date`
  return (as) => (as === 'Date' ? date : code`${temporal}.${as}`)
}
