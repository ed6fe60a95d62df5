import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxTokens } from './script.js'
import type { MockUpstream } from './upstream.js'

/** US dollars for a million tokens. */
type Prices = { readonly input: number; readonly output: number }

/** The flags of a process: models at a mock upstream, whose rate limits reject no call. */
export function writeSettings(
  folder: string,
  { url }: Pick<MockUpstream, 'url'>,
  models: Readonly<Record<string, Prices>>,
): readonly string[] {
  const requests = 1_000_000
  const most = { default: { requests }, partner: { requests } }
  const tokens = { requests, tokens: 1_000_000_000 }
  const write = (name: string, value: object) => {
    const file = join(folder, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }
  const catalogue = {
    text: Object.fromEntries(
      Object.entries(models).map(([name, { input, output }]) => [
        name,
        {
          name: 'Bench',
          usdPerMillionInputTokens: input,
          usdPerMillionCachedInputTokens: input,
          usdPerMillionOutputTokens: output,
          contextTokens: 8_192,
          maxCompletionTokens: maxTokens,
        },
      ]),
    ),
    tiers: { XS: { default: tokens, partner: tokens, models: Object.keys(models) } },
    limits: { unstated: most },
  }
  const chat = { name: 'mock', capability: 'chat', url, retries: 0, breaker: { failures: 1e6 } }
  return [
    '--catalogue',
    write('catalogue.json', catalogue),
    '--upstreams',
    write('upstreams.json', { upstreams: [chat] }),
  ]
}
