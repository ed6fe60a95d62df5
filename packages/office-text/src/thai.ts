/**
 * Whether the bytes are Thai in windows-874 (TIS-620). Its vowels and tones only stand next to
 * consonants, as the letters of other encodings do not for long.
 */
export function isThai(sample: Uint8Array): boolean {
  let [letters, ordered, wrong] = [0, 0, 0]
  let before: Kind = 'other'
  for (const byte of sample) {
    const kind = findKind(byte)
    const isAfterConsonant = before === 'consonant' || before === 'mark'
    const isAfterVowel = kind === 'vowel' || kind === 'mark'
    if (isAfterVowel || before === 'lead') {
      if (isAfterVowel ? isAfterConsonant : kind === 'consonant') ordered += 1
      else wrong += 1
    }
    if (kind === 'foreign' || isMixed(before, kind)) wrong += 1
    if (kind !== 'other' && kind !== 'latin') letters += 1
    before = kind
  }
  return letters >= 8 && ordered >= letters * 0.2 + 1 && wrong <= letters * 0.01
}

/** `lead` is a vowel that stands before its consonant, and `mark` one that stands above or below. */
type Kind = 'consonant' | 'lead' | 'vowel' | 'mark' | 'latin' | 'other' | 'foreign'

function findKind(byte: number): Kind {
  if (byte < 0x80) return /[a-z]/i.test(String.fromCharCode(byte)) ? 'latin' : 'other'
  if (punctuation.has(byte)) return 'other'
  // two consonants are obsolete
  if (byte >= 0xa1 && byte <= 0xce) return byte === 0xa3 || byte === 0xa5 ? 'foreign' : 'consonant'
  if (byte === 0xd0 || byte === 0xd2 || byte === 0xd3) return 'vowel'
  if (byte === 0xd1 || (byte >= 0xd4 && byte <= 0xda)) return 'mark'
  if (byte >= 0xe0 && byte <= 0xe4) return 'lead'
  return byte >= 0xe7 && byte <= 0xed ? 'mark' : 'foreign'
}

/** Signs, digits, and the marks of abbreviation and repetition. */
const punctuation: ReadonlySet<number> = new Set([
  0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0xa0, 0xcf, 0xdf, 0xe6, 0xf0, 0xf1, 0xf2,
  0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb,
])

/** Whether a Latin letter is next to a letter of another script. */
function isMixed(one: Kind, other: Kind): boolean {
  return one !== 'other' && other !== 'other' && (one === 'latin') !== (other === 'latin')
}
