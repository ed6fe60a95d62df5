import type { SpeechBackend } from '../src/domain/speech/speech-backend.js'
import { createWallet, type TestResponse, type Harness } from './harness.js'
import { createAddress } from './other-address.js'

type Headers = Readonly<Record<string, string>>

/** Asks for the text of a document, which costs a cent. */
export async function parse(
  farebox: Harness,
  headers: Headers,
  text = 'Tram fares',
): Promise<TestResponse> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'document')
  return farebox.call('parseText', '/augment/text-parser', {
    method: 'POST',
    body,
    headers,
    from: createAddress(),
  })
}

/** Asks for speech, which costs 3.5 micro-USD a character. */
export async function say(
  farebox: Harness,
  headers: Headers,
  body: object = { input: 'Trams.' },
): Promise<TestResponse> {
  return farebox.call('createSpeech', '/audio/speech', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    from: createAddress(),
  })
}

/** A wallet with a payment that it signed. */
export async function createPayer(farebox: Harness, usd = 5) {
  const wallet = createWallet()
  return { wallet, paying: { 'payment-signature': await farebox.pay(wallet, { usd }) } }
}

/** Speaks one byte for each character, and fails as often as it is told. */
export function createCountedSpeech(): SpeechBackend & { spoken: number; fails: number } {
  const counted: ReturnType<typeof createCountedSpeech> = {
    spoken: 0,
    fails: 0,
    describe: () => 'speech=counted',
    async *speak({ text }) {
      if (counted.fails-- > 0) throw new Error('The synthesizer broke.')
      counted.spoken++
      for (let made = 1; made <= text.length; made++) yield { bytes: new Uint8Array([made]), made }
    },
    close: async () => undefined,
  }
  return counted
}
