// What each runtime is to do alike: everything that differs between platforms is in it. `run` gives
// plain data.
import { bearer } from '@farebox/auth'
import { createSpeech } from '@farebox/client/operations'
import { compose, fetchSend } from '@farebox/middleware'
import { rateLimit, retry } from '@farebox/retry'
import { createFarebox } from 'farebox'
import { validation } from 'farebox/validation'

const video = { model: 'local-test-clip', duration: '5s' }

/** @param {string} origin */
export async function run(origin) {
  const baseUrl = `${origin}/api/v1`
  const events = /** @type {string[]} */ ([])
  const onEvent = (/** @type {{ type: string }} */ { type }) => events.push(type)
  const options = {
    baseUrl,
    apiKey: 'KEY',
    dangerouslyAllowBrowser: true,
    retry: { backoff: () => 1 },
    validation: validation(),
  }
  const farebox = createFarebox({ ...options, onEvent })
  const hasty = createFarebox({ ...options, timeoutMs: 100, retry: false })

  const quote = await farebox.quoteVideo(video)
  const told = events.join(' ')
  const parsed = await farebox.parseText({
    file: new File(['Hello'], 'hello.txt', { type: 'text/plain' }),
    response_format: 'text',
  })
  const streamed = await farebox
    .parseText({ file: () => new Blob(['Hello']).stream(), response_format: 'text' })
    .catch(errorOf)
  // the service rejects the first upload of this name with 503: a retry reads the file again
  const onDisk = await farebox
    .parseText({ file: { path: 'on-disk.txt' }, response_format: 'text' })
    .catch(errorOf)
  const picture = { path: 'on-disk.txt', type: 'image/png' }
  const pictured = await farebox
    .queueVideo({ ...video, prompt: 'A tram', image_url: picture })
    .catch(errorOf)
  const spent = new Blob(['Hello']).stream()
  await new Response(spent).text()
  const respent = await farebox
    .parseText({ file: () => spent, response_format: 'text' })
    .catch(errorOf)
  const service = {
    baseUrl,
    send: compose(fetchSend(fetch), [retry(), rateLimit(), bearer('KEY')]),
  }
  const speech = await createSpeech(service, { input: 'Hello' })
  const sound = speech.status === 200 ? (await speech.data.arrayBuffer()).byteLength : speech.error
  const abort = new AbortController()
  // once it is under way
  const leaving = createFarebox({
    ...options,
    onEvent: ({ type }) => type === 'send' && setTimeout(() => abort.abort(), 50),
  })
  return {
    quote,
    told,
    parsed,
    streamed,
    onDisk,
    pictured,
    respent,
    sound,
    rejected: await farebox.createSpeech({ input: 'unpaid' }).catch(errorOf),
    invalid: await farebox.createSpeech({ input: '' }).catch(errorOf),
    lost: await farebox.createSpeech({ input: 'lost' }).catch(errorOf),
    page: await farebox.createSpeech({ input: 'page' }).catch(errorOf),
    cut: await farebox.listModels().catch(errorOf),
    aborted: await leaving
      .createSpeech({ input: 'never' }, { signal: abort.signal })
      .catch(errorOf),
    late: await hasty.createSpeech({ input: 'never' }).catch(errorOf),
  }
}

/** @param {import('farebox').FareboxError} error */
function errorOf({ name, code, status, attempts, mayHaveArrived }) {
  return { name, code, attempts, mayHaveArrived, ...(status !== undefined && { status }) }
}
