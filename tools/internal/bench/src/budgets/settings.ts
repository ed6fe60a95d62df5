import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { model } from './call.js'
import { pricePerMillion } from './owed.js'
import { maxTokens } from './script.js'
import type { MockUpstream } from './upstream.js'

/** The flags of each process: one model at the mock upstream, whose rate limits reject no call. */
export function writeSettings(
  folder: string,
  { url }: Pick<MockUpstream, 'url'>,
): readonly string[] {
  const [input, output] = [pricePerMillion.input, pricePerMillion.output].map(
    (micro) => Number(micro) / 1e6,
  )
  const requests = 1_000_000
  const most = { default: { requests }, partner: { requests } }
  const tokens = { requests, tokens: 1_000_000_000 }
  const write = (name: string, value: object) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }
  const catalogue = {
    text: {
      [model]: {
        name: 'Bench',
        usdPerMillionInputTokens: input,
        usdPerMillionCachedInputTokens: input,
        usdPerMillionOutputTokens: output,
        contextTokens: 8_192,
        maxCompletionTokens: maxTokens,
      },
    },
    tiers: { XS: { default: tokens, partner: tokens, models: [model] } },
    limits: { text: most, unstated: most },
  }
  const chat = { name: 'mock', capability: 'chat', url, retries: 0, breaker: { failures: 1e6 } }
  return [
    '--catalogue',
    write('catalogue.json', catalogue),
    '--upstreams',
    write('upstreams.json', { upstreams: [chat] }),
  ]
}
