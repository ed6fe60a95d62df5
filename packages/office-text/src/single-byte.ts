import { countUnlikely, languages, type Language } from './languages.js'
import { isTurkish } from './turkish.js'

/**
 * The text of bytes in an encoding of one byte for each character. `decodeWestern` reads them as
 * windows-1252, the most likely encoding. Another one is taken where its text is much more that of
 * one of its languages. A few words are enough for this.
 */
export function readSingleByte(
  bytes: Uint8Array,
  sample: Uint8Array,
  decodeWestern: (bytes: Uint8Array) => string,
): string {
  const western = decodeWestern(sample)
  if (isTurkish(western)) return new TextDecoder('windows-1254').decode(bytes)
  const beyondAscii = sample.reduce((count, byte) => count + (byte < 0x80 ? 0 : 1), 0)
  let best: Encoding | undefined
  let least = countUnlikely(western, languages.western)
  for (const encoding of encodings) {
    const cost = countUnlikely(encoding.decode(sample), encoding.languages)
    if (cost + encoding.lead >= least || cost > beyondAscii * maxCost) continue
    best = encoding
    least = cost + encoding.lead
  }
  return best?.decode(bytes) ?? decodeWestern(bytes)
}

/** For each character beyond ASCII. More is a text of none of the languages. */
const maxCost = 5

type Encoding = {
  readonly decode: (bytes: Uint8Array) => string
  readonly languages: readonly Language[]
  /** How much less unlikely its text has to be than that of the encodings before it. */
  readonly lead: number
}

const decoder = (name: string) => (bytes: Uint8Array) => new TextDecoder(name).decode(bytes)

/** By a table of the characters at 0x80 to 0xff, for an encoding that TextDecoder does not have. */
function tableDecoder(table: string): (bytes: Uint8Array) => string {
  const codes = Uint16Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 ? byte : table.charCodeAt(byte - 0x80),
  )
  return (bytes) => {
    const text = new Uint16Array(bytes.length)
    bytes.forEach((byte, at) => (text[at] = codes[byte] ?? byte))
    return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(text)
  }
}

/** Code page 850, which has the letters and most lines of code page 437, too. */
const codePage850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'
const codePage852 =
  'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0'

const encodings: readonly Encoding[] = [
  { decode: decoder('windows-1250'), languages: languages.central, lead: 3 },
  { decode: decoder('iso-8859-2'), languages: languages.central, lead: 3.5 },
  { decode: decoder('windows-1257'), languages: languages.baltic, lead: 3 },
  { decode: decoder('iso-8859-15'), languages: languages.western, lead: 3 },
  { decode: tableDecoder(codePage850), languages: languages.western, lead: 5 },
  { decode: decoder('macintosh'), languages: languages.western, lead: 5 },
  { decode: tableDecoder(codePage852), languages: languages.central, lead: 6 },
  { decode: decoder('windows-1251'), languages: languages.cyrillic, lead: 9 },
  { decode: decoder('koi8-u'), languages: languages.cyrillic, lead: 11 },
  { decode: decoder('ibm866'), languages: languages.cyrillic, lead: 9 },
  { decode: decoder('iso-8859-5'), languages: languages.cyrillic, lead: 9 },
  { decode: decoder('x-mac-cyrillic'), languages: languages.cyrillic, lead: 13 },
  { decode: decoder('windows-1253'), languages: languages.greek, lead: 9 },
  { decode: decoder('iso-8859-7'), languages: languages.greek, lead: 11.5 },
  { decode: decoder('windows-1255'), languages: languages.hebrew, lead: 9 },
  { decode: decoder('windows-1256'), languages: languages.arabic, lead: 9 },
  { decode: decoder('iso-8859-6'), languages: languages.arabic, lead: 9 },
  { decode: decoder('windows-1258'), languages: languages.vietnamese, lead: 6 },
]
