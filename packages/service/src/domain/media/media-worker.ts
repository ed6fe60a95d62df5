import { serveTasks } from '../../platform/workers/serve-tasks.js'
import { readAudio, lengthOfVideo } from './media-length.js'
import type { MediaTask } from './media-reader.js'
import { checkRecording } from './recording.js'

/** The worker thread of `createMediaReader`. */
serveTasks((given) => {
  const task = given as MediaTask
  if (task.kind === 'video') return lengthOfVideo(task.bytes)
  return task.kind === 'audio' ? readAudio(task.bytes) : checkRecording(task.bytes, task.rules)
})
