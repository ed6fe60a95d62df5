/** The rate of all formats. Opus, MP3 and AAC support it, and it is usual for `pcm`. */
export const outputRate = 24_000

const reach = 16

/** Resamples to 24 kHz from a lower rate, by a windowed sinc. */
export function resample(samples: Int16Array, rate: number): Int16Array {
  if (rate === outputRate) return samples
  const result = new Int16Array(Math.round((samples.length * outputRate) / rate))
  const step = rate / outputRate
  for (let index = 0; index < result.length; index++) {
    const position = index * step
    const first = Math.floor(position)
    let sum = 0
    for (let tap = first - reach + 1; tap <= first + reach; tap++) {
      const sample = samples[tap]
      if (sample !== undefined) sum += sample * kernel(position - tap)
    }
    result[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return result
}

/** sinc under a Hann window. */
function kernel(distance: number): number {
  if (distance === 0) return 1
  const angle = Math.PI * distance
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / reach))
}
