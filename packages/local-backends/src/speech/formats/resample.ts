/** The rate of all formats. Opus, MP3 and AAC support it, and it is usual for `pcm`. */
export const outputRate = 24_000

const reach = 16

/** Resamples to 24 kHz from a lower rate, by a windowed sinc. */
export function resample(samples: Int16Array, rate: number): Int16Array {
  if (rate === outputRate) return samples
  const { weights, phases, advance } = createFilter(rate)
  const padded = new Float64Array(samples.length + 2 * reach)
  padded.set(samples, reach - 1)
  const result = new Int16Array(Math.round((samples.length * outputRate) / rate))
  for (let index = 0; index < result.length; index++) {
    const position = index * advance
    const first = Math.floor(position / phases)
    const offset = (position % phases) * 2 * reach
    let sum = 0
    for (let tap = 0; tap < 2 * reach; tap++)
      sum += (padded[first + tap] ?? 0) * (weights[offset + tap] ?? 0)
    result[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return result
}

/**
 * The weights of the samples around a position between two of them. There are as many such
 * positions (phases) as the reduced ratio of the rates says: three for 16 kHz.
 */
function createFilter(rate: number) {
  const divisor = findGreatestDivisor(rate, outputRate)
  const phases = outputRate / divisor
  const weights = Float64Array.from({ length: phases * 2 * reach }, (_, at) => {
    const phase = Math.floor(at / (2 * reach)) / phases
    return kernel(phase - ((at % (2 * reach)) - reach + 1))
  })
  return { weights, phases, advance: rate / divisor }
}

function findGreatestDivisor(one: number, other: number): number {
  return other === 0 ? one : findGreatestDivisor(other, one % other)
}

/** sinc under a Hann window. */
function kernel(distance: number): number {
  if (distance === 0) return 1
  const angle = Math.PI * distance
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / reach))
}
