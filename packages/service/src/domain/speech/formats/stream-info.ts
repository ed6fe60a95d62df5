import { outputRate } from './resample.js'
import type { Sink } from './speech-encoder.js'

const infoStart = 8
/** The marker `fLaC`, a block header and STREAMINFO. */
const headLength = 42

/**
 * Completes the STREAMINFO of a streamed FLAC file (RFC 9639, section 8.2), which the encoder
 * writes at the end. The block size is that of the first frame. Length and checksum stay 0, which
 * means unknown.
 */
export function createStreamInfo(sink: Sink): Sink {
  let head: Uint8Array | undefined = new Uint8Array(0)
  return (bytes) => {
    if (head === undefined) return sink(bytes)
    head = joined(head, bytes)
    const code = head[headLength + 2]
    if (code === undefined) return
    const view = new DataView(head.buffer)
    const size = blockSize(code >> 4)
    view.setUint32(4, 0x80_00_00_22)
    view.setUint16(infoStart, size)
    view.setUint16(infoStart + 2, size)
    // 20 bits of rate, 3 of channels less one, 5 of bits a sample less one, 36 of unknown length
    view.setUint32(infoStart + 10, ((outputRate << 12) | (15 << 4)) >>> 0)
    sink(head)
    head = undefined
  }
}

/** RFC 9639, section 9.1.1. */
function blockSize(code: number): number {
  if (code === 1) return 192
  if (code >= 2 && code <= 5) return 144 * 2 ** code
  return code >= 8 ? 2 ** code : 4096
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
