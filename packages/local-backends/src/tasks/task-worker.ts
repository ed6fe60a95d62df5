import { parentPort } from 'node:worker_threads'
import { LocalBackendError } from '../local-backend-error.js'
import type { Task, TaskNews, TaskResults } from './task-thread.js'

/** The thread of `createTaskThread`. Libraries are loaded when a task needs them. */
parentPort?.on('message', (task: Task) => void perform(task).then((news) => post(news)))

async function perform(task: Task): Promise<TaskNews> {
  try {
    return { kind: 'done', result: await runTask(task) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: error instanceof LocalBackendError ? 'rejected' : 'failed', message }
  }
}

async function runTask(task: Task): Promise<TaskResults[keyof TaskResults]> {
  if (task.kind === 'sample') {
    const { sampleJson } = await import('./sample-json.js')
    post({ kind: 'begun' })
    return sampleJson(task.schema, task.seed, task.field)
  }
  if (task.kind === 'draw') {
    const { drawCard } = await import('./draw-card.js')
    post({ kind: 'begun' })
    return drawCard(task.card)
  }
  const { findSounds } = await import('./find-sounds.js')
  post({ kind: 'begun' })
  return findSounds(task.audio, task.format)
}

function post(news: TaskNews): void {
  parentPort?.postMessage(news, [])
}
