import { rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { generateApp } from '../../test/app.js'
import { findWorkFolder } from '../../test/both-sides.js'
import { listTypeErrors } from '../../test/type-errors.js'
import { server } from './server.js'
import { types } from './types.js'
import { zod } from './zod.js'

// The program of the guide.

const work = findWorkFolder('server-app')
let running: Server

beforeAll(async () => {
  // its server puts classes of its own in the place of these, for all tests of the worker
  for (const name of ['Request', 'Response'] as const) vi.stubGlobal(name, globalThis[name])
  await generateApp(work, ['server.ts'], [types, zod, server])
  running = (
    (await import(pathToFileURL(join(work, 'server.ts')).href)) as { readonly server: Server }
  ).server
})
afterAll(async () => {
  await new Promise((closed) => running.close(closed))
  vi.unstubAllGlobals()
  await rm(work, { recursive: true, force: true })
})

it('compiles', async () => {
  expect(await listTypeErrors(work, ['server.ts'], { types: ['node'] })).toEqual([])
})

it('responds', async () => {
  const url = `http://127.0.0.1:${(running.address() as AddressInfo).port}/pets`
  const init = {
    method: 'POST',
    body: '{"name":"Bello"}',
    headers: { 'content-type': 'application/json' },
  }
  expect((await fetch(url, init)).status).toBe(401)
  const added = await fetch(url, {
    ...init,
    headers: { ...init.headers, authorization: 'Bearer secret' },
  })
  expect([added.status, await added.json()]).toEqual([201, { id: 2, name: 'Bello' }])
  expect(await (await fetch(`${url}?limit=1`)).json()).toEqual({
    items: [{ id: 1, name: 'Rex' }],
    next: '1',
  })
  expect(await (await fetch(`${url}/events`)).text()).toBe(
    '{"id":1,"name":"Rex"}\n{"name":"Bello","id":2}\n',
  )
  expect((await fetch(`${url}/9`)).status).toBe(404)
})
