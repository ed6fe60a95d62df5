import { parentPort } from 'node:worker_threads'
import { createSpeaker, type Speaker } from './speak.js'
import type { SpeechNews, SpeechOrder } from './speech-thread.js'

/** The thread of `createSpeechThread`. It keeps the encoders of texts that are not finished. */
const speakers = new Map<number, Speaker>()

parentPort?.on('message', (order: SpeechOrder) => {
  if (order.kind === 'next') void speakNext(order).then(post)
  else drop(order.id)
})
post({ kind: 'ready' })

function drop(id: number): void {
  void speakers.get(id)?.drop()
  speakers.delete(id)
}

async function speakNext({
  id,
  options,
}: Extract<SpeechOrder, { kind: 'next' }>): Promise<SpeechNews> {
  try {
    if (options) speakers.set(id, await createSpeaker(options))
    const speaker = speakers.get(id)
    if (!speaker)
      return { kind: 'failed', message: 'The synthesizer was replaced in the middle of the text.' }
    const { bytes, isLast } = await speaker.next()
    if (isLast) speakers.delete(id)
    return { kind: 'made', bytes, isLast }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

function post(news: SpeechNews): void {
  parentPort?.postMessage(news, news.kind === 'made' ? [news.bytes.buffer as ArrayBuffer] : [])
}
