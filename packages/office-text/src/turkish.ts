/**
 * Whether `text` is Turkish in windows-1254, which has Ğ, İ, Ş, ğ, ı and ş in the places of Ð, Ý, Þ,
 * ð, ý and þ of windows-1252. It has no letter that Turkish lacks, and its letters stand where those
 * of Turkish do, more often than where those of Icelandic do. A word such as `malý` may be Czech.
 */
export function isTurkish(text: string): boolean {
  const letters = Array.from(new Set(text.match(/[À-ÖØ-öø-ÿ]/g)))
  if (!letters.some((letter) => 'ÐÝÞðýþ'.includes(letter))) return false
  if (!letters.every((letter) => 'ÂÇÎÖÛÜâçîöûüÐÝÞðýþ'.includes(letter))) return false
  if (letters.every((letter) => letter === 'ý') && !doubleVowel.test(text)) return false
  // no other language has a cedilla next to these letters
  const found = count(text, turkish) + (/[Çç]/.test(text) ? 1 : 0)
  const lead = /[Üü]/.test(text) ? 1 : 0
  return found > 0 && found + lead > count(text, icelandic)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** Two vowels ı in a word, which does not begin like `výborný`. */
const doubleVowel = /(?<!\bv)ý[^aeiouöüý\P{L}]{1,3}ý/iu

/**
 * The vowel ı after a or ı (vowel harmony), İ at the beginning of a word and ş after a vowel, each
 * where Icelandic does not have the letter in its place.
 */
const turkish =
  /(?<=[aýI][^aeiouöüýI\P{L}]{0,3})ý|(?<!\p{L})Ý(?=[a-jlnp-rvyz]|st)|(?<=[aeiouöüýâ])þ(?![bjrv])/giu

/** The vowel ý before another one than a or ı, except before the ending -ken, and frequent words. */
const icelandic =
  /(?<=\p{L})ý(?!rken)[^aeiouöüý\P{L}]{0,3}[eiuöü]|(?<!\p{L})þ(?:ý[ðs]|að|eir|eim|ess)|(?<!\p{L})(?:og|við|með|eða)(?!\p{L})/giu
