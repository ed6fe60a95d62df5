/**
 * The encoding of East Asian text, which may be too short for the statistics of letters. Its bytes
 * pair up into characters of everyday use, most of them next to each other. In text of another
 * kind, letters beyond ASCII stand alone, or do not pair up, or pair up into rare characters.
 *
 * `likely` is the encoding that the statistics suggest.
 */
export function findEastAsianEncoding(
  sample: Uint8Array,
  likely: string | undefined,
): string | undefined {
  const first = encodings.filter(({ name }) => name === likely?.toLowerCase())
  return [...first, ...encodings].find((encoding) => fitsEncoding(encoding, sample))?.name
}

type Encoding = {
  readonly name: string
  /** Whether the byte is a whole character, such as a narrow katakana. */
  readonly isSingle?: (byte: number) => boolean
  /** Whether the two bytes are a character of everyday use. */
  readonly isEveryday: (lead: number, trail: number) => boolean
  /** Whether the two bytes are unlikely in text of any other kind. */
  readonly isTypical: (lead: number, trail: number) => boolean
  /** How many of the characters are typical, at least. One always is. */
  readonly typicalShare: number
}

/** The everyday characters of a set of 94 by 94 characters, the first rows of which are signs. */
const isInRows =
  (first: number, last: number) =>
  (lead: number, trail: number): boolean =>
    trail >= 0xa1 && ((lead >= first && lead <= last) || (lead >= 0xa1 && lead <= 0xa3))

const isKanaRow = (lead: number): boolean => lead === 0xa4 || lead === 0xa5

/** Where the Latin capitals of windows-1252 are, and the Cyrillic ones of windows-1251. */
const isCapitalElsewhere = (byte: number): boolean => byte >= 0xc0 && byte <= 0xdf

/** The syllables of Korean that occur most. */
const frequentSyllables =
  '이다는을에의가고하지로사은도를한기시리자어대나인아해정일수서보부그원니세요금안녕입님습전상제스장구소조주과게들면만라오비야있것했었여마위거러적경동성국유신미공화관생강개물방학업중연내발무분모회실계용현진체양르간명재당심통선드행치타설반교란히및더단바트린레네파남북역산호문영석표우데'

/** In the order of certainty. */
const encodings: readonly Encoding[] = [
  {
    name: 'shift_jis',
    isSingle: (byte) => byte >= 0xa1 && byte <= 0xdf,
    isEveryday: (lead) => (lead >= 0x81 && lead <= 0x83) || (lead >= 0x87 && lead <= 0x98),
    // katakana, or a character that does not end like a Latin letter
    isTypical: (lead, trail) => lead === 0x83 || trail >= 0x80,
    typicalShare: 0.3,
  },
  {
    name: 'euc-jp',
    isEveryday: (lead, trail) =>
      isInRows(0xb0, 0xcf)(lead, trail) || (isKanaRow(lead) && trail >= 0xa1),
    isTypical: isKanaRow,
    typicalShare: 0.3,
  },
  {
    name: 'euc-kr',
    isEveryday: isInRows(0xb0, 0xc8),
    isTypical: (lead, trail) =>
      frequentSyllables.includes(new TextDecoder('euc-kr').decode(Uint8Array.of(lead, trail))),
    typicalShare: 0.3,
  },
  {
    name: 'gb18030',
    isEveryday: isInRows(0xb0, 0xd7),
    isTypical: (lead, trail) => !isCapitalElsewhere(lead) || !isCapitalElsewhere(trail),
    typicalShare: 0.5,
  },
  {
    name: 'big5',
    isEveryday: (lead) => lead >= 0xa1 && lead <= 0xc6,
    isTypical: (lead) => !isCapitalElsewhere(lead),
    typicalShare: 0.5,
  },
]

function fitsEncoding(encoding: Encoding, sample: Uint8Array): boolean {
  if (!isValid(encoding.name, sample)) return false
  let [characters, everyday, typical, runs] = [0, 0, 0, 0]
  let isInRun = false
  for (let at = 0; at < sample.length; at += 1) {
    const lead = sample[at] ?? 0
    if (lead < 0x80 || encoding.isSingle?.(lead) === true) {
      isInRun = false
      continue
    }
    at += 1
    const trail = sample[at] ?? 0
    // a character of four bytes, such as an emoji
    if (encoding.name === 'gb18030' && trail >= 0x30 && trail <= 0x39) {
      at += 2
      continue
    }
    characters += 1
    if (!isInRun) runs += 1
    isInRun = true
    if (encoding.isEveryday(lead, trail)) everyday += 1
    if (encoding.isTypical(lead, trail)) typical += 1
  }
  return (
    characters >= runs * 1.5 &&
    everyday >= characters * 0.9 &&
    typical > 0 &&
    typical >= characters * encoding.typicalShare
  )
}

/** A long sample may end within a character. */
function isValid(name: string, sample: Uint8Array): boolean {
  try {
    new TextDecoder(name, { fatal: true }).decode(sample, { stream: sample.length > 4096 })
    return true
  } catch {
    return false
  }
}
