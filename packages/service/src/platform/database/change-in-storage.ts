/** Text that a database would refuse, change or drop. */
const rules = [
  { found: /\0/, message: 'U+0000 cannot be kept.' },
  { found: /\p{Surrogate}/u, message: 'Half of a surrogate pair cannot be kept; expected well-formed Unicode.' },
  { found: /^\ufeff/, message: 'A byte-order mark at the beginning cannot be kept.' },
]

/** Why a database would not give a text back as it is. Undefined for a text that it keeps. */
export function changeInStorage(text: string): string | undefined {
  return rules.find(({ found }) => found.test(text))?.message
}
