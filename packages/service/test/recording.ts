import { wavEncoder } from '../src/domain/speech/formats/wav.js'
import { outputRate } from '../src/domain/speech/formats/resample.js'

/** A WAV file of silence. */
export async function recordingOf(seconds: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const encoder = wavEncoder((bytes) => void parts.push(bytes), false)
  await encoder.add(new Int16Array(seconds * outputRate))
  await encoder.finish()
  return Buffer.concat(parts)
}
