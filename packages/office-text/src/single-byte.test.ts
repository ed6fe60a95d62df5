import { describe, expect, test } from 'vitest'
import { createWarningCounter } from './findings.js'
import { decodePlain } from './plain.js'

describe('a short text in an encoding of one byte for each character', () => {
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
    [
      'blocks of DOS',
      Buffer.from('29/fIN/c3yCwsCBGYXJlILGxILKyCrogT0sgug==', 'base64'),
      '█▀▀ ▀▄▀ ░░ Fare ▒▒ ▓▓\n║ OK ║',
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
      'Hungarian in windows-1250',
      Buffer.from(
        'RmVsbvV0dCBqZWd5LCBhIGd5+2p09WplZ3kg6XJ26W55ZXMgYSBr9nZldGtlevUgaOl0ZvVpZw==',
        'base64',
      ),
      'Felnőtt jegy, a gyűjtőjegy érvényes a következő hétfőig',
    ],
    [
      'Slovak in ISO 8859-2',
      Buffer.from(
        'rmlhY2kgYSC5dHVkZW50aSBzbyB6tWF2b3UgcGxhdGlhIHBvbG92aehu6SBjZXN0b3Zu6Q==',
        'base64',
      ),
      'Žiaci a študenti so zľavou platia polovičné cestovné',
    ],
    [
      'Polish of DOS',
      Buffer.from('QmlsZXQgdWxnb3d5IGplc3Qgd2G+bnkgdHlsa28geiBsZWdpdHltYWNqpQ==', 'base64'),
      'Bilet ulgowy jest ważny tylko z legitymacją',
    ],
    [
      'Lithuanian in windows-1257',
      Buffer.from(
        'QmlsaWV0YXMgZ2FsaW9qYSDwZfBpYXMgZGllbmFzLCDhc2thaXRhbnQg8HZlbuhp+CBkaWVuYXM=',
        'base64',
      ),
      'Bilietas galioja šešias dienas, įskaitant švenčių dienas',
    ],
    [
      'Latvian in windows-1257',
      Buffer.from('QmnvZXRlIGlyIGRlcu5nYSB0cu5zIGRpZW5hcyBw52MgaWVn4mRlcw==', 'base64'),
      'Biļete ir derīga trīs dienas pēc iegādes',
    ],
    [
      'euros in ISO 8859-15',
      Buffer.from('UHJlaXMgZvxyIFNjaPxsZXI6IDIsNDAgpA==', 'base64'),
      'Preis für Schüler: 2,40 €',
    ],
    [
      'French in ISO 8859-15',
      Buffer.from('VW4gvXVmLCAzIKQgbGEgcGnoY2U=', 'base64'),
      'Un œuf, 3 € la pièce',
    ],
    [
      'Russian of DOS',
      Buffer.from('j+CupaekIKSr7yCip+Cu4avr5Q==', 'base64'),
      'Проезд для взрослых',
    ],
    [
      'Russian of an old Mac',
      Buffer.from('j/Du5efkIOTr3yDi5/Du8ev79Swg5OXy3+wg8ero5Org', 'base64'),
      'Проезд для взрослых, детям скидка',
    ],
    [
      'Bulgarian in windows-1251',
      Buffer.from('wejr5fIg5+Ag4vrn8ODx8u3o', 'base64'),
      'Билет за възрастни',
    ],
    [
      'Ukrainian in KOI8-U',
      Buffer.from('69fJ1M/LIMSmytPOycog26bT1NggxM6m1w==', 'base64'),
      'Квиток дійсний шість днів',
    ],
    [
      'Hebrew with vowels in windows-1255',
      Buffer.from('8sThwPjE6fog5OngIPn05A==', 'base64'),
      'עִבְרִית היא שפה',
    ],
    [
      'Slovene of DOS that is valid in Shift_JIS',
      Buffer.from('pml2aWpvLCB2c2kgcGxhboJ0aQ==', 'base64'),
      'Živijo, vsi planéti',
    ],
    ['Vietnamese in windows-1258', Buffer.from('VmXsIG5n/fXMaSBs9exu', 'base64'), 'Vé người lớn'],
    [
      'French with Czech names in windows-1252',
      Buffer.from('VHLocyBwcuhzIGRlIGxhIHJpdmnocmUsIE1pbG+aIGV0IFRvbeGaIG9udCBtYW5n6Q==', 'base64'),
      'Très près de la rivière, Miloš et Tomáš ont mangé',
    ],
  ])('is read: %s', (_, bytes, expected) => {
    expect(decodePlain(bytes, createWarningCounter())).toBe(expected)
  })
})
