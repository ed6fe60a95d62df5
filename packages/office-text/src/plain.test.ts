import { describe, expect, test } from 'vitest'
import { decodePlain } from './plain.js'
import { createWarningCounter } from './findings.js'

const encodeUtf16 = (text: string, order: 'little' | 'big', mark: boolean): Uint8Array => {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le')
  return new Uint8Array(order === 'little' ? bytes : bytes.swap16())
}

const table: readonly (readonly [encoding: string, bytes: Uint8Array, text: string])[] = [
  ['ASCII', Buffer.from('Single ride 2.40'), 'Single ride 2.40'],
  ['UTF-8', Buffer.from('ferry to Möweninsel — 渡し船 ⛴'), 'ferry to Möweninsel — 渡し船 ⛴'],
  ['UTF-8 with a mark', Buffer.from('\ufeffMöweninsel'), 'Möweninsel'],
  ['UTF-16 LE with a mark', encodeUtf16('Möweninsel 渡し船', 'little', true), 'Möweninsel 渡し船'],
  ['UTF-16 BE with a mark', encodeUtf16('Möweninsel 渡し船', 'big', true), 'Möweninsel 渡し船'],
  [
    'UTF-16 LE without a mark',
    encodeUtf16('ferry to Möweninsel', 'little', false),
    'ferry to Möweninsel',
  ],
  [
    'UTF-16 BE without a mark',
    encodeUtf16('ferry to Möweninsel', 'big', false),
    'ferry to Möweninsel',
  ],
  [
    'windows-1252',
    Uint8Array.of(0x4d, 0xf6, 0x77, 0x65, 0x20, 0x80, 0x20, 0x93, 0x61, 0x94),
    'Möwe € “a”',
  ],
  // encoded by Python
  [
    'Shift_JIS',
    Buffer.from(
      'k26CtZFEgs2WiI6eMJWqgsmPb4LcgreBQpe/i+CCzZHlkGwyNDCJfoFBjnGLnzEyMIl+gsWCt4FC',
      'base64',
    ),
    '渡し船は毎時0分に出ます。料金は大人240円、子供120円です。',
  ],
  [
    'EUC-JP',
    Buffer.from(
      'xc+kt8GlpM/L6Lv+MMqspMu90KTepLmho87BtuKkz8Lnv80yNDCx36Giu9K2oTEyMLHfpMekuaGj',
      'base64',
    ),
    '渡し船は毎時0分に出ます。料金は大人240円、子供120円です。',
  ],
  [
    'ISO-2022-JP',
    Buffer.from(
      'GyRCRU8kN0ElJE9LaDt+GyhCMBskQkosJEs9UCReJDkhI05BNmIkT0JnP00bKEIyNDAbJEIxXyEiO1I2IRsoQjEyMBskQjFfJEckOSEjGyhC',
      'base64',
    ),
    '渡し船は毎時0分に出ます。料金は大人240円、子供120円です。',
  ],
  [
    'GB18030',
    Buffer.from('wta2ycO/0KHKsb+q0ruw4KOss8nIy8axvNu2/tSqy8S9x6Gj', 'base64'),
    '轮渡每小时开一班，成人票价二元四角。',
  ],
  [
    'Big5',
    Buffer.from('vfy056hDpHCuybZ9pECvWqFBpqikSLK8u/mkR6S4pXyopKFD', 'base64'),
    '輪渡每小時開一班，成人票價二元四角。',
  ],
  [
    'EUC-KR',
    Buffer.from(
      's6q37bnotMIguMW9wyDBpLCiv6Egw+K538fVtM+02S4gv+Sx3cC6IDI0ML/4wNS0z7TZLg==',
      'base64',
    ),
    '나룻배는 매시 정각에 출발합니다. 요금은 240원입니다.',
  ],
  [
    'windows-1251',
    Buffer.from(
      '0vDg7OLg6SDu8u/w4OLr/+Xy8f8g6uDm5PvpIPfg8S4g0fLu6Ozu8fL8IO/w7uXn5OAgNDAg8PPh6+XpLg==',
      'base64',
    ),
    'Трамвай отправляется каждый час. Стоимость проезда 40 рублей.',
  ],
  [
    'KOI8-R',
    Buffer.from(
      '9NLBzdfByiDP1NDSwdfM0cXU09Egy8HWxNnKIN7B0y4g89TPyc3P09TYINDSz8XaxMEgNDAg0tXCzMXKLg==',
      'base64',
    ),
    'Трамвай отправляется каждый час. Стоимость проезда 40 рублей.',
  ],
  [
    'ISO 8859-7',
    Buffer.from(
      '1O8g9PHh7CD25f3j5ekg6tzo5SD+8eEuINTvIOXp8+n03vHp7yDq7/P03+bl6SDk/e8g5fXx/i4=',
      'base64',
    ),
    'Το τραμ φεύγει κάθε ώρα. Το εισιτήριο κοστίζει δύο ευρώ.',
  ],
  [
    'windows-1250',
    Buffer.from(
      'WmG/87PmIGfqnGy5IGphn/EsIHByb3N66iBiYXJkem8uIEJpbGV0IGtvc3p0dWplIGR3YSB6s290ZSwgYSBkbGEgZHppZWNpIGplc3QgYmV6cLNhdG55LiCj82SfLCBLcmFr83csIFBvem5h8SwgR2Rh8XNrIGkgV3JvY7NhdyBzuSBwaeprbmUuIE5hc3TqcG55IHByenlzdGFuZWsgem5hamR1amUgc2nqIHByenkgZ7Pzd255bSBkd29yY3UsIGdkemllIG1vv25hIHNp6iBwcnplc2m5nOYuIA==',
      'base64',
    ),
    'Zażółć gęślą jaźń, proszę bardzo. Bilet kosztuje dwa złote, a dla dzieci jest bezpłatny. Łódź, Kraków, Poznań, Gdańsk i Wrocław są piękne. Następny przystanek znajduje się przy głównym dworcu, gdzie można się przesiąść. ',
  ],
  [
    'a short text of windows-1250 with a letter that windows-1252 lacks',
    Buffer.from(
      'RG5lcyBqZSBoZXpr6SBwb+hhc+0sIHBvamVkZW1lIHRyYW12YWrtIGRvIHD47XN0YXZ1LiCObHWdb3Xoa/0ga/ny',
      'base64',
    ),
    'Dnes je hezké počasí, pojedeme tramvají do přístavu. Žluťoučký kůň',
  ],
  [
    'windows-1252 of some length',
    Buffer.from('TfZ3ZW5pbnNlbDogRXJ3YWNoc2VuZSAyLDQwIIAsIEtpbmRlciCTZnJlaZQ=', 'base64'),
    'Möweninsel: Erwachsene 2,40 €, Kinder “frei”',
  ],
  [
    'ISO 8859-1',
    Buffer.from('U2Xxb3IsIL9jdeFudG8gY3Vlc3RhIGVsIGJpbGxldGU/IE1h8WFuYSBzZXLhIG3hcw==', 'base64'),
    'Señor, ¿cuánto cuesta el billete? Mañana será más',
  ],
  ['a few words of Shift_JIS', Buffer.from('iXeWvCyXv4vg', 'base64'), '駅名,料金'],
  [
    'Shift_JIS with bytes that windows-1252 lacks',
    Buffer.from('l7+L4ILNMjQwiX6CxYK3gUI=', 'base64'),
    '料金は240円です。',
  ],
  ['a word of EUC-JP', Buffer.from('pLOk86TLpMGkzw==', 'base64'), 'こんにちは'],
  [
    'a line of EUC-KR',
    Buffer.from('v+Sx3cC6IDI0ML/4wNS0z7TZLg==', 'base64'),
    '요금은 240원입니다.',
  ],
  ['a word of GB18030', Buffer.from('xrG827b+1Ko=', 'base64'), '票价二元'],
  [
    'GB18030 with a character of four bytes',
    Buffer.from('vNu48ZQ5/Da2/tSqy8S9xw==', 'base64'),
    '价格😀二元四角',
  ],
  ['a word of Big5', Buffer.from('pqikSLK8u/mkR6S4', 'base64'), '成人票價二元'],
  ['capitals of windows-1252', Buffer.from('U8lOyUdBTA==', 'base64'), 'SÉNÉGAL'],
  [
    'Russian in UTF-16 LE without a mark',
    Buffer.from('Проезд для взрослых', 'utf16le'),
    'Проезд для взрослых',
  ],
  [
    'Russian in UTF-16 BE without a mark',
    Buffer.from('Проезд для взрослых', 'utf16le').swap16(),
    'Проезд для взрослых',
  ],
  [
    'Japanese in UTF-16 LE without a mark',
    Buffer.from('大人 二百円、子供は無料です', 'utf16le'),
    '大人 二百円、子供は無料です',
  ],
  [
    'Japanese in UTF-16 BE without a mark',
    Buffer.from('大人 二百円、子供は無料です', 'utf16le').swap16(),
    '大人 二百円、子供は無料です',
  ],
  ['Korean in UTF-16 LE without a mark', Buffer.from('어른 이천원', 'utf16le'), '어른 이천원'],
  [
    'Korean in UTF-16 BE without a mark',
    Buffer.from('어른 이천원', 'utf16le').swap16(),
    '어른 이천원',
  ],
  ['Hebrew in UTF-16 LE without a mark', Buffer.from('כרטיס חודשי', 'utf16le'), 'כרטיס חודשי'],
  [
    'Hebrew in UTF-16 BE without a mark',
    Buffer.from('כרטיס חודשי', 'utf16le').swap16(),
    'כרטיס חודשי',
  ],
  ['capitals of windows-1253', Buffer.from('wcvCwc3JwQ==', 'base64'), 'ΑΛΒΑΝΙΑ'],
  [
    'Turkish in windows-1254',
    Buffer.from('SfBk/XKSYSBiYfBsYW50/Swg9vByZW5jaSA3IGxpcmE=', 'base64'),
    'Iğdır’a bağlantı, öğrenci 7 lira',
  ],
  [
    'Icelandic in windows-1252',
    Buffer.from('3mHwIGVyIGdvdHQgdmXwdXIg7SBkYWcsIG79IGZlcvA=', 'base64'),
    'Það er gott veður í dag, ný ferð',
  ],
  [
    'Czech in windows-1250 that is right in windows-1252, too',
    Buffer.from('RG9icv0gZGVu', 'base64'),
    'Dobrý den',
  ],
  [
    'a few words of Polish in windows-1250',
    Buffer.from('WmG/87PmIGfqnGy5IGphn/E=', 'base64'),
    'Zażółć gęślą jaźń',
  ],
  [
    'a few words of Polish in ISO 8859-2',
    Buffer.from('WmG/87PmIGfqtmyxIGphvPE=', 'base64'),
    'Zażółć gęślą jaźń',
  ],
  [
    'French of an old Mac',
    Buffer.from('TGVzII5sj3ZlcyBmcmFujWFpcyCIIGzVjmNvbGU=', 'base64'),
    'Les élèves français à l’école',
  ],
  [
    'Portuguese of an old Mac',
    Buffer.from('QXJtkG5pYSwgU4tvIFRvbY4=', 'base64'),
    'Armênia, São Tomé',
  ],
  ['German of an old Mac', Buffer.from('RIpuZW1hcms=', 'base64'), 'Dänemark'],
  [
    'Thai in windows-874',
    Buffer.from('w7bD0qfNzaG32KGq0ejH4sGnIKTo0uK0wsrSwyAyNDAgutK3', 'base64'),
    'รถรางออกทุกชั่วโมง ค่าโดยสาร 240 บาท',
  ],
  ['a word of Thai', Buffer.from('ysfRyrTVpMPRug==', 'base64'), 'สวัสดีครับ'],
  [
    'Russian in KOI8-R with the order of Thai',
    Buffer.from('88nMxdrTy8HRIM/CzMHT1Ng=', 'base64'),
    'Силезская область',
  ],
  [
    'a trade mark and capitals within words',
    Buffer.from('TWNEb25hbGSZLCBuYe92ZSBjYWbpIJYgbJLpdOk=', 'base64'),
    'McDonald™, naïve café – l’été',
  ],
  ['line ends of all kinds', Buffer.from('a\r\nb\nc\rd\u0085e\f'), 'a\r\nb\nc\rd\u0085e\f'],
  [
    'a coloured terminal log',
    Buffer.from('\u001b[31mfailed\u001b[0m after 3 s'),
    '\u001b[31mfailed\u001b[0m after 3 s',
  ],
]

describe('decodePlain', () => {
  test.each(table)('reads %s', (_, bytes, text) => {
    expect(decodePlain(bytes, createWarningCounter())).toBe(text)
  })

  test.each([
    ['a zero byte in text', Buffer.from('Single\0ride')],
    ['random bytes', Uint8Array.from({ length: 512 }, (_, i) => (i * 197 + 31) % 256)],
    ['control characters', Buffer.from('\u0001\u0002\u0003 abc \u0004\u0005')],
    ['a broken surrogate in UTF-16', Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00)],
    ['bytes that windows-1252 does not assign', Uint8Array.of(0x81, 0x8d, 0x8f, 0x90, 0x9d, 0x41)],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodePlain(bytes, createWarningCounter())).toThrow(
      expect.objectContaining({
        code: 'unsupported_type',
        message:
          'The file is binary data of an unknown type. Accepted are PDF, DOCX, PPTX, XLSX and plain text.',
      }),
    )
  })
})

describe('text with invalid bytes', () => {
  test.each([
    [
      'one in UTF-8',
      [...Buffer.from('Möweninsel '), 0xe9, ...Buffer.from(' 2,40 €')],
      'Möweninsel \ufffd 2,40 €',
      1,
    ],
    ['a character cut off at the end', [...Buffer.from('渡し船'), 0xe6, 0xb8], '渡し船\ufffd', 1],
    [
      'half a character of UTF-16',
      [0xff, 0xfe, ...Buffer.from('Single ride', 'utf16le'), 0x41],
      'Single ride\ufffd',
      1,
    ],
    ['a surrogate in UTF-32', [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0, 0, 0xd8, 0, 0], 'A\ufffd', 1],
    ['a part of a character of UTF-32', [0, 0, 0xfe, 0xff, 0, 0, 0, 0x41, 0], 'A\ufffd', 1],
  ])('%s keeps the rest and counts them', (_, bytes, text, count) => {
    const warnings = createWarningCounter()
    expect(decodePlain(Uint8Array.from(bytes), warnings)).toBe(text)
    expect(warnings.list()).toEqual([{ code: 'invalid_bytes', count }])
  })

  test.each([
    ['UTF-32 LE', [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0, 0xf6, 0, 0, 0], 'Aö'],
    ['UTF-32 BE', [0, 0, 0xfe, 0xff, 0, 0, 0, 0x41], 'A'],
    ['GB 18030', [0x84, 0x31, 0x95, 0x33, 0xd6, 0xd0, 0xce, 0xc4], '中文'],
    [
      'letters far behind the beginning',
      [...Buffer.alloc(100_000, 'a b '), ...Buffer.from('渡し船は毎時0分に出ます')],
      `${'a b '.repeat(25_000)}渡し船は毎時0分に出ます`,
    ],
  ])('%s is read', (_, bytes, text) => {
    expect(decodePlain(Uint8Array.from(bytes), createWarningCounter())).toBe(text)
  })
})
