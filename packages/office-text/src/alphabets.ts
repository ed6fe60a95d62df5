/**
 * The text in the encoding of Central Europe in which the letters are those of one language, where
 * `western`, the text in windows-1252, mixes letters of several. Undefined where none is.
 */
export function findCentral(bytes: Uint8Array, western: string): string | undefined {
  const letters = findLetters(western)
  const foreign = countForeign(letters, westernAlphabets)
  if (foreign < 2 || foreign < letters.length * 0.15) return undefined
  if (isGraveVowel(western)) return undefined
  const [best] = ['windows-1250', 'iso-8859-2']
    .map((encoding) => new TextDecoder(encoding).decode(bytes))
    .map((text) => ({ text, found: findLetters(text) }))
    .filter(({ found }) => found.length >= letters.length && isCentral(found))
    .toSorted((one, other) => other.found.length - one.found.length)
  return best?.text
}

/**
 * Whether è is a vowel, as in French with names of Central Europe. There, it is č in its place, which
 * is next to a vowel.
 */
function isGraveVowel(western: string): boolean {
  const all = western.match(/è/gi) ?? []
  const vowels = western.match(/(?<![aeiouyáéíóúý])è(?![aeiouyáéíóúýìù])/gi) ?? []
  return vowels.length > all.length / 2
}

/** Whether the letters are of one language, but for some of names of other languages. */
function isCentral(letters: readonly string[]): boolean {
  return countForeign(letters, centralAlphabets) <= letters.length * 0.05
}

/** The first letters beyond ASCII, without those that are signs. */
function findLetters(text: string): readonly string[] {
  const letters = text.match(/(?![A-Za-zªºµ])\p{L}/gu) ?? []
  return letters.slice(0, 10_000).map((letter) => letter.toLowerCase())
}

/** How many letters the language lacks that has most of them. */
function countForeign(letters: readonly string[], alphabets: readonly string[]): number {
  return Math.min(
    ...alphabets.map(
      (alphabet) => letters.length - letters.filter((letter) => alphabet.includes(letter)).length,
    ),
  )
}

/** Czech, Slovak, Polish, Hungarian, Romanian, Croatian with Slovene. */
const centralAlphabets: readonly string[] = [
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'ąćęłńóśźż',
  'áéíóöőúüű',
  'ăâîşţ',
  'čćđšž',
]

/**
 * French, German and Dutch, Spanish, Portuguese, Italian and Catalan, the languages of Scandinavia,
 * Icelandic and Faroese, Finnish and Estonian, Albanian, Welsh, Turkish in windows-1252.
 */
const westernAlphabets: readonly string[] = [
  'àâæçéèêëîïôöœùûüÿ',
  'äöüßáàéèêëíïóôú',
  'áéíóúüñç',
  'áàâãçéêíóôõúü',
  'àáçèéìíîïòóùúü',
  'åäöæøéèêëüáàô',
  'áðéíóúýþæöø',
  'äöåõüšžé',
  'çë',
  'àâêîôûäëïöáéíóúìòùẁ',
  'âçîöûüðýþ',
]
