import { serveTasks } from '../../platform/workers/serve-tasks.js'
import { readDocument } from './read-document.js'

/** The worker thread of `createTextParser`: bytes in; text and tokens, or a code and a message, out. */
serveTasks(({ bytes }) => readDocument(bytes))
