import { expect, it } from 'vitest'
import { fillRemembered, readRemembered, createSessionStore } from './session.js'

function createStorage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

it('stays in memory unless persistence is enabled, and is removed when it is disabled', () => {
  const storage = createStorage()
  const store = createSessionStore('https://service.example', storage)
  store.update({ access: 'key', key: 'secret' })
  expect(storage.kept.size).toBe(0)
  store.update({ keep: true })
  expect(createSessionStore('https://other.example', storage).get()).toMatchObject({
    service: 'https://service.example',
    key: 'secret',
    keep: true,
  })
  store.update({ keep: false })
  expect(storage.kept.size).toBe(0)
})

it('starts fresh when stored data is unreadable', () => {
  const storage = createStorage()
  storage.setItem('farebox-session', '{')
  expect(createSessionStore('https://service.example', storage).get()).toMatchObject({
    service: 'https://service.example',
    keep: false,
  })
})

it('notifies each listener of a change until it unsubscribes', () => {
  const store = createSessionStore('https://service.example', createStorage())
  let changes = 0
  const leave = store.subscribe(() => changes++)
  store.update({ key: 'one' })
  leave()
  store.update({ key: 'two' })
  expect(changes).toBe(1)
})

it('fills in the queue id and its model for operations that need them', () => {
  const remembered = readRemembered({ queue_id: 'q1', model: 'topaz-video-upscale', other: 1 })
  const operation = {
    id: '',
    method: 'POST',
    path: '',
    credentials: [],
    pays: false,
    parameters: [],
    example: { path: {}, query: {} },
  } as const
  const body = (properties: Readonly<Record<string, object>>) => ({
    mediaType: 'application/json',
    schema: { type: 'object', properties },
  })
  const values = { path: {}, query: {}, body: { model: 'tts-kokoro' } }
  const asks = { ...operation, body: body({ queue_id: {}, model: {} }) }
  expect(fillRemembered(asks, values, remembered).body).toEqual({
    queue_id: 'q1',
    model: 'topaz-video-upscale',
  })
  expect(
    fillRemembered({ ...operation, body: body({ model: {} }) }, values, remembered).body,
  ).toEqual({
    model: 'tts-kokoro',
  })
})
