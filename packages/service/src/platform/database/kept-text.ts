import { fieldFault } from '../../http/http-error.js'

/** What a database takes that gives back every text as it was: `found` is the part that it would refuse, change or drop. */
const rules = [
  { found: /\0/, message: 'U+0000 cannot be kept.' },
  { found: /\p{Surrogate}/u, message: 'Half of a surrogate pair cannot be kept; expected well-formed Unicode.' },
  { found: /^\ufeff/, message: 'A byte-order mark at the beginning cannot be kept.' },
]

/** A text of the caller's that is kept and given back as it is. One that the database would refuse or change is 400 at its field. */
export function keptText(field: string, text: string): string {
  for (const { found, message } of rules) if (found.test(text)) throw fieldFault(field, message)
  return text
}
