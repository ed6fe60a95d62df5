import type { TaskThread } from '../tasks/task-thread.js'

export type LocalImageTask = {
  readonly model: string
  /** Who pays, for fair shares. */
  readonly caller: string
  readonly prompt: string
  readonly n: number
  readonly width: number
  readonly height: number
}

export type LocalImage = {
  /** PNG files. Rejects with a LocalBackendError. */
  readonly generate: (task: LocalImageTask, signal: AbortSignal) => Promise<readonly Uint8Array[]>
}

/** An image model for tests: it writes the prompt on a card, and says that it is a test. */
export function createLocalImage(thread: Pick<TaskThread, 'run'>): LocalImage {
  return {
    generate: async ({ model, caller, prompt, n, width, height }, signal) => {
      const images: Uint8Array[] = []
      for (let index = 0; index < n; index++) {
        const note = n > 1 ? `${model}, ${index + 1} of ${n}` : model
        const card = { prompt, note: `Test image, drawn locally: ${note}`, width, height }
        images.push(await thread.run(caller, { kind: 'draw', card }, signal))
      }
      return images
    },
  }
}
