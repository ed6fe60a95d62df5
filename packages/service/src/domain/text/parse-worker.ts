import { serveTasks } from '../../platform/workers/serve-tasks.js'
import { readDocument } from './read-document.js'

/** The worker thread of `createTextParser`. */
serveTasks(({ bytes }) => readDocument(bytes))
