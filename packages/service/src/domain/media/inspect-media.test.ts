import { describe, expect, it } from 'vitest'
import { decodeDataUrl, isDataUrl } from './inspect-media.js'

describe('a data URL', () => {
  it.each([
    ['data:,a%20b%zz%', [...Buffer.from('a b%zz%')]],
    ['DATA:video/mp4,%00%fF', [0, 255]],
    ['data:video/mp4;base64,AAEC', [0, 1, 2]],
    ['data:video/mp4;BASE64,AAE%3D', [0, 1]],
    ['data:video/mp4;base64,', []],
    ['data:video/mp4;  base64 ,AAEC', [0, 1, 2]],
    ['data:video/mp4;base64,AAEC#t=10', [0, 1, 2]],
    ['data:,é', [...Buffer.from('é')]],
  ])('%s is decoded to its bytes', async (url, bytes) => {
    expect([...(decodeDataUrl(url) ?? [])]).toEqual(bytes)
    // as fetch reads it
    expect([...new Uint8Array(await (await fetch(url)).arrayBuffer())]).toEqual(bytes)
  })

  it.each(['', 'data:', 'data:video/mp4;base64', 'https://media.example/a,b', 'xdata:,a'])(
    'rejects %j',
    (url) => {
      expect(decodeDataUrl(url)).toBeUndefined()
    },
  )

  it('is recognized regardless of case', () => {
    expect(['data:,a', 'Data:,a', 'https://data:1/'].map(isDataUrl)).toEqual([true, true, false])
  })
})
