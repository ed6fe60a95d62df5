import { createSpeechThread, type SpeechThread } from '@farebox/local-backends'

type Order = Parameters<SpeechThread['next']>
type SpeechChunk = Awaited<ReturnType<SpeechThread['next']>>

/**
 * A synthesizer that speaks each text once, in each format, and then repeats it. Many tests share a
 * recording, which takes a second to make.
 */
export function createRecordedThread(): SpeechThread {
  const recordings = new Map<string, Promise<readonly SpeechChunk[]>>()
  const playing = new Map<number, Promise<SpeechChunk[]>>()

  const thread = createSpeechThread()
  let last: Promise<unknown> = Promise.resolve()

  const record = async ([id, options]: Order): Promise<readonly SpeechChunk[]> => {
    const all: SpeechChunk[] = [await thread.next(id, options)]
    while (all.at(-1)?.isLast === false) all.push(await thread.next(id))
    return all
  }

  return {
    next: async (id, options) => {
      if (options) {
        const name = JSON.stringify(options)
        const recording = recordings.get(name) ?? last.then(() => record([id, options]))
        recordings.set(name, recording)
        last = recording
        playing.set(
          id,
          recording.then((all) => [...all]),
        )
      }
      const made = (await playing.get(id))?.shift()
      if (!made) throw new Error('A text was asked for more than it has')
      return made
    },
    drop: (id) => void playing.delete(id),
    ready: async () => undefined,
    close: () => last.then(thread.close),
  }
}
