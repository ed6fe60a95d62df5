import { serveTasks } from '../../platform/workers/worker-task.js'
import { readAudio, measureVideo, checkRecording } from './inspect-media.js'
import type { MediaTask } from './media-reader.js'

/** The worker thread of `createMediaReader`. */
serveTasks((given) => {
  const task = given as MediaTask
  if (task.kind === 'video') return measureVideo(task.bytes)
  return task.kind === 'audio' ? readAudio(task.bytes) : checkRecording(task.bytes, task.rules)
})
