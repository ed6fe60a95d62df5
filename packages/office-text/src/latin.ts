import { findCentral } from './alphabets.js'
import { isTurkish } from './turkish.js'

/**
 * The Latin text of bytes that are too few for the statistics of letters. `western` is what they
 * are in windows-1252, the most likely encoding. Another one is taken where that has more slips, or
 * where the letters are those of another language.
 */
export function readLatin(bytes: Uint8Array, western: string): string {
  if (isTurkish(western)) return new TextDecoder('windows-1254').decode(bytes)
  const central = findCentral(bytes, western)
  if (central !== undefined) return central
  const most = countSlips(western)
  if (most === 0) return western
  const beyondAscii = western.match(/[^\0-\u007f]/g)?.length ?? 0
  const [best] = [decode('windows-1250'), decode('iso-8859-2'), decodeOld(bytes)]
    .map((text) => ({ text, slips: countSlips(text) }))
    .filter(({ slips }) => slips < most && slips <= beyondAscii * 0.1)
    .toSorted((one, other) => one.slips - other.slips)
  return best?.text ?? western

  function decode(encoding: string): string {
    return new TextDecoder(encoding).decode(bytes)
  }
}

/** Text of an old Mac or of DOS. */
function decodeOld(bytes: Uint8Array): string {
  const mac = new TextDecoder('macintosh').decode(bytes)
  const dos = decodeDos(bytes)
  const lead = countSlips(mac) - countSlips(dos) || countRare(mac) - countRare(dos)
  return lead > 0 ? dos : mac
}

/** Code page 850, which has the letters and most lines of code page 437, too. */
function decodeDos(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin.replaceAll(/[\u0080-\u00ff]/g, (char) => dos[char.charCodeAt(0) - 0x80] ?? char)
}

/** The characters at 0x80 to 0xff. */
const dos = Array.from(
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
)

/** Letters beyond those that Western European languages use most. */
function countRare(text: string): number {
  return text.match(/(?![A-Za-zäöüßéèàçñáíóúãåæøâêôÄÖÜÉ])\p{L}/gu)?.length ?? 0
}

function countSlips(text: string): number {
  return text.match(slips)?.length ?? 0
}

/**
 * What no spelling has: a control character, an accented capital within a word, five accented
 * letters in a row, a sign other than a dash or an apostrophe between two letters, an opening quote
 * after a letter.
 */
const slips =
  /[\u0080-\u0084\u0086-\u009fƒˆ]|(?<=\p{Ll})(?![A-Z])\p{Lu}|(?<=\p{L})(?![A-Z])\p{Lu}(?=\p{Ll})|(?<=[À-ɏ]{4})[À-ɏ]|(?<=\p{L})[^\0-\u007f\p{L}\p{Z}’‘–—…·\u00ad](?=\p{L})|(?<=\p{L})‚/gu
