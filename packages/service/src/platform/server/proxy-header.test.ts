import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readProxyHeader } from './proxy-header.js'

const line = (text: string) => Buffer.from(text, 'latin1')
const signature = '0d0a0d0a000d0a515549540a'
const block = (hex: string) => Buffer.from(signature + hex, 'hex')
const four = 'c0000201c6336401dc0401bb'
const six = `20010db8${'0'.repeat(22)}01${'0'.repeat(31)}1dc0401bb`

const headers: readonly (readonly [string, Buffer, string | undefined])[] = [
  ['TCP4', line('PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n'), '192.0.2.1'],
  ['TCP6', line('PROXY TCP6 2001:db8::1 ::1 65535 0\r\n'), '2001:db8::1'],
  ['UNKNOWN', line('PROXY UNKNOWN\r\n'), undefined],
  ['UNKNOWN with addresses that are not believed', line('PROXY UNKNOWN 192.0.2.1 198.51.100.1 1 2\r\n'), undefined],
  ['IPv4 of version 2', block(`2111000c${four}`), '192.0.2.1'],
  ['IPv4 of version 2 with more', block(`21110010${four}03000100`), '192.0.2.1'],
  ['IPv6 of version 2', block(`21210024${six}`), '2001:db8::1'],
  ['a health check of the proxy', block('20000000'), undefined],
  ['a local one with addresses', block(`2011000c${four}`), undefined],
  ['a socket file', block(`213100d8${'00'.repeat(216)}`), undefined],
]

describe('a header of the PROXY protocol', () => {
  it.each(headers)('names its client, whatever follows it: %s', (_name, bytes, client) => {
    const whole = { kind: 'whole', length: bytes.length, client }
    expect(readProxyHeader(bytes)).toEqual(whole)
    expect(readProxyHeader(Buffer.concat([bytes, line('GET / HTTP/1.1\r\n\r\n')]))).toEqual(whole)
  })

  it.each(headers)('is waited for until its last byte: %s', (_name, bytes) => {
    for (let length = 0; length < bytes.length; length++) expect(readProxyHeader(bytes.subarray(0, length))).toEqual({ kind: 'partial' })
  })

  it.each([
    ['a request', line('GET / HTTP/1.1\r\n')],
    ['small letters', line('proxy TCP4')],
    ['a line without an end', line(`PROXY TCP4 ${' '.repeat(100)}`)],
    ['a line of 108 bytes', line(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`)],
    ['another family', line('PROXY TCP5 192.0.2.1 198.51.100.1 1 2\r\n')],
    ['a name that objects inherit', line('PROXY constructor 192.0.2.1 198.51.100.1 1 2\r\n')],
    ['IPv6 as TCP4', line('PROXY TCP4 ::1 ::1 1 2\r\n')],
    ['another spelling of a number', line('PROXY TCP4 0x7f.1 127.0.0.1 1 2\r\n')],
    ['no port', line('PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n')],
    ['a port beyond all', line('PROXY TCP4 192.0.2.1 198.51.100.1 1 65536\r\n')],
    ['a port with a sign', line('PROXY TCP4 192.0.2.1 198.51.100.1 +1 2\r\n')],
    ['more than ports', line('PROXY TCP4 192.0.2.1 198.51.100.1 1 2 3\r\n')],
    ['two spaces', line('PROXY TCP4  192.0.2.1 198.51.100.1 1 2\r\n')],
    ['another version', block(`3111000c${four}`)],
    ['another command', block(`2211000c${four}`)],
    ['another family of version 2', block(`2141000c${four}`)],
    ['another transport of version 2', block(`2113000c${four}`)],
    ['addresses that are cut off', block('2111000b')],
    ['IPv6 addresses in the room of IPv4', block('2121000c')],
    ['a block of 64 KiB', block('2111ffff')],
  ])('is refused as soon as it cannot be one: %s', (_name, bytes) => {
    expect(readProxyHeader(bytes)).toEqual({ kind: 'malformed' })
  })

  it('of any bytes is none, or has a length within them', () => {
    const start = fc.constantFrom(Buffer.alloc(0), line('PROXY '), line('PROXY TCP4 1.1.1.1 '), block(''), block('2111'), block('21210024'))
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 300 }), (known, rest) => {
        const bytes = Buffer.concat([known, rest])
        const header = readProxyHeader(bytes)
        if (header.kind === 'whole') expect(header.length).toBeLessThanOrEqual(bytes.length)
        else expect(['partial', 'malformed']).toContain(header.kind)
        // no later byte makes a header of what is none, nor another of what is one
        const more = readProxyHeader(Buffer.concat([bytes, Buffer.from('\r\n')]))
        if (header.kind !== 'partial') expect(more).toEqual(header)
      }),
    )
  })
})
