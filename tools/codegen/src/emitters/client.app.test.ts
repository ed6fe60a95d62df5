import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateApp } from '../../test/app.js'
import { findWorkFolder } from '../../test/both-sides.js'
import { listTypeErrors } from '../../test/type-errors.js'
import { client } from './client.js'
import { types } from './types.js'
import { zod } from './zod.js'

const work = findWorkFolder('client-app')

describe('the program of the guide', () => {
  beforeAll(async () => generateApp(work, ['client.ts'], [types, zod, client]))
  afterAll(async () => rm(work, { recursive: true, force: true }))

  deepTest('compiles', async () => {
    expect(await listTypeErrors(work, ['client.ts'])).toEqual([])
  })

  it('reads, adds with its credential, validates, and reads a stream', async () => {
    type Program = { readonly run: (options: object) => Promise<readonly unknown[]> }
    const { run } = (await import(pathToFileURL(join(work, 'client.ts')).href)) as Program
    const send = (url: string, { method, headers }: RequestInit) => {
      const { pathname } = new URL(url)
      const isTokenSent = new Headers(headers).get('authorization') === 'Bearer a token'
      if (method === 'POST')
        return Response.json({ id: 3, name: 'Bello' }, { status: isTokenSent ? 201 : 401 })
      if (pathname === '/pets/1') return Response.json({ id: 1, name: 'Rex' })
      if (pathname === '/pets/9') return Response.json({ error: 'No such pet.' }, { status: 404 })
      const lines = '{"id":1,"name":"Rex"}\n{"id":2,"name":"Waldi"}\n'
      return new Response(lines, { headers: { 'content-type': 'application/jsonl' } })
    }
    const done = await run({
      fetch: async (url: string, init: RequestInit) => Promise.resolve(send(url, init)),
    })
    expect(done).toEqual([['Rex', 'No such pet.'], false, 201, ['Rex', 'Waldi'], 200])
  })
})
