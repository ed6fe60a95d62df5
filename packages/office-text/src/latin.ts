/**
 * The Latin text of bytes that are too few for the statistics of letters. `western` is what they
 * are in windows-1252, the most likely encoding. Another one is taken where that has more slips, and
 * windows-1254 where the letters are those of Turkish.
 */
export function readLatin(bytes: Uint8Array, western: string): string {
  if (isTurkish(western)) return new TextDecoder('windows-1254').decode(bytes)
  const most = countSlips(western)
  if (most === 0) return western
  const beyondAscii = western.match(/[^\0-\u007f]/g)?.length ?? 0
  const [best] = others
    .map((name) => new TextDecoder(name).decode(bytes))
    .map((text) => ({ text, slips: countSlips(text) }))
    .filter(({ slips }) => slips < most && slips <= beyondAscii * 0.1)
    .toSorted((one, other) => one.slips - other.slips)
  return best?.text ?? western
}

/** In the order of their likelihood. */
const others = ['windows-1250', 'iso-8859-2', 'macintosh'] as const

function countSlips(text: string): number {
  return text.match(slips)?.length ?? 0
}

/**
 * What no spelling has: a control character, an accented capital within a word, five accented
 * letters in a row, a sign other than a dash or an apostrophe between two letters.
 */
const slips =
  /[\u0080-\u0084\u0086-\u009fƒˆ]|(?<=\p{Ll})(?![A-Z])\p{Lu}|(?<=\p{L})(?![A-Z])\p{Lu}(?=\p{Ll})|(?<=[À-ɏ]{4})[À-ɏ]|(?<=\p{L})[^\0-\u007f\p{L}\p{Z}’‘–—…·\u00ad](?=\p{L})/gu

/**
 * Whether `text` is Turkish in windows-1254, which has Ğ, İ, Ş, ğ, ı and ş in the places of Ð, Ý, Þ,
 * ð, ý and þ. Two of these, one of them İ or ı, and no letter that Turkish lacks: Icelandic and
 * Czech soon have another accent.
 */
function isTurkish(text: string): boolean {
  const letters = Array.from(new Set(text.match(/[À-ÖØ-öø-ÿ]/g)))
  const own = letters.filter((letter) => 'ÐÝÞðýþ'.includes(letter))
  return (
    own.length >= 2 &&
    /[Ýý]/.test(text) &&
    letters.every((letter) => 'ÂÇÎÖÛÜâçîöûüÐÝÞðýþ'.includes(letter))
  )
}
