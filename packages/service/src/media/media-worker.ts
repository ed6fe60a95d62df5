import { serveTasks } from '../workers/serve-tasks.js'
import { lengthOfVideo } from './length-of-video.js'
import type { MediaTask } from './media-reader.js'
import { judgeRecording } from './recording.js'

/** The worker thread of `createMediaReader`. */
serveTasks((given) => {
  const task = given as MediaTask
  return task.kind === 'video' ? lengthOfVideo(task.bytes) : judgeRecording(task.bytes, task.rules)
})
