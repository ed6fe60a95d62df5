import { serveTasks } from '../../platform/workers/serve-tasks.js'
import { lengthOfVideo } from './length-of-video.js'
import type { MediaTask } from './media-reader.js'
import { checkRecording } from './recording.js'

/** The worker thread of `createMediaReader`. */
serveTasks((given) => {
  const task = given as MediaTask
  return task.kind === 'video' ? lengthOfVideo(task.bytes) : checkRecording(task.bytes, task.rules)
})
