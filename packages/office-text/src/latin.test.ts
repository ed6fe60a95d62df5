import { describe, expect, test } from 'vitest'
import { createWarningCounter } from './findings.js'
import { decodePlain } from './plain.js'

describe('a short text in Latin letters', () => {
  // encoded by Python
  test.each<[text: string, bytes: Uint8Array, expected: string]>([
    ['German of DOS', Buffer.from('TZR3ZSwgZoFyIE2BbGxlcg==', 'base64'), 'Möwe, für Müller'],
    ['a word of German of DOS', Buffer.from('S5Rsbg==', 'base64'), 'Köln'],
    ['French of DOS', Buffer.from('UHKCbm9tO1NvY2mCdII=', 'base64'), 'Prénom;Société'],
    [
      'Spanish of DOS',
      Buffer.from('RXNwYaRhLCBtYaRhbmEgc2VyoCBtoHM=', 'base64'),
      'España, mañana será más',
    ],
    [
      'lines of DOS',
      Buffer.from('2sTExMTCxMTExMS/CrMgT0sgsyAyLjQgsw==', 'base64'),
      '┌────┬─────┐\n│ OK │ 2.4 │',
    ],
    ['French of an old Mac with a circumflex', Buffer.from('cGV1dC2QdHJl', 'base64'), 'peut-être'],
    ['Turkish with a letter of its own', Buffer.from('3XN0YW5idWw=', 'base64'), 'İstanbul'],
    ['Turkish with another letter of its own', Buffer.from('QmX+aWt0Yf4=', 'base64'), 'Beşiktaş'],
    ['Turkish of one vowel', Buffer.from('a/16/Wwgef1sZP16', 'base64'), 'kızıl yıldız'],
    ['Turkish with a cedilla', Buffer.from('Yef9aw==', 'base64'), 'açık'],
    ['a word of Icelandic in windows-1252', Buffer.from('3v1za2FsYW5k', 'base64'), 'Þýskaland'],
    [
      'words of Icelandic in windows-1252',
      Buffer.from('TP3wdmVsZGksIG1h8HVyIG9nIGv9cg==', 'base64'),
      'Lýðveldi, maður og kýr',
    ],
    [
      'Slovak in windows-1250 that is right in windows-1252, too',
      Buffer.from('dv1ib3Ju/SBzdGFy/Q==', 'base64'),
      'výborný starý',
    ],
    [
      'Croatian in windows-1250',
      Buffer.from('Vm+ebmphIHBv6GluamUgdSCaZXN0LCBtb55lIHNlIHBsYeZhdGkgaSBnb3Rvdmlub20=', 'base64'),
      'Vožnja počinje u šest, može se plaćati i gotovinom',
    ],
    [
      'Slovene in windows-1250',
      Buffer.from('T3Ryb2NpIHBsYehham8gbWFuaiwg6GUgcG90dWplam8gmmUgc3Rhcppp', 'base64'),
      'Otroci plačajo manj, če potujejo še starši',
    ],
    [
      'Czech in windows-1250',
      Buffer.from('UPjtc3RhdiBqZSBvdGV2+GVu/Swgau16ZG7pIHphcGxhnXRlIHD4ZWRlbQ==', 'base64'),
      'Přístav je otevřený, jízdné zaplaťte předem',
    ],
    [
      'Romanian in windows-1250',
      Buffer.from('Q+Ns43RvcmlpIHBs43Rlc2Mg7m4gc3Rh/mll', 'base64'),
      'Călătorii plătesc în staţie',
    ],
    [
      'French with Czech names in windows-1252',
      Buffer.from('VHLocyBwcuhzIGRlIGxhIHJpdmnocmUsIE1pbG+aIGV0IFRvbeGaIG9udCBtYW5n6Q==', 'base64'),
      'Très près de la rivière, Miloš et Tomáš ont mangé',
    ],
  ])('is read: %s', (_, bytes, expected) => {
    expect(decodePlain(bytes, createWarningCounter())).toBe(expected)
  })
})
