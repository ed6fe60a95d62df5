import { parentPort } from 'node:worker_threads'
import { speak } from './speak.js'
import type { SpeechNews, SpeechOrder } from './worker-messages.js'

/** The worker thread of `createEmbeddedSpeech`: texts in, audio out. Keeps nothing. */
const post = (news: SpeechNews): void => parentPort?.postMessage(news, [])
const wanted = new Set<number>()

parentPort?.on('message', (order: SpeechOrder) => {
  if (order.kind === 'cancel') wanted.delete(order.id)
  else void answer(order)
})
post({ kind: 'ready' })

async function answer({ id, options }: Extract<SpeechOrder, { kind: 'speak' }>): Promise<void> {
  wanted.add(id)
  const isWanted = () => wanted.has(id)
  try {
    await speak(options, (bytes) => isWanted() && post({ kind: 'bytes', id, bytes }), isWanted)
    if (isWanted()) post({ kind: 'done', id })
  } catch (error) {
    post({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  } finally {
    wanted.delete(id)
  }
}
