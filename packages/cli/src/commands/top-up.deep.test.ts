import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from '@farebox/auth/keys'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitForExit, fareboxBin } from '../../test/farebox-command.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-top-up-'))
const settled = new Set<string>()
let responses = false
let server: Server

/** Settles each payment once, and loses the response until `answers`. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const payment = request.headers['payment-signature']
    if (typeof payment !== 'string') {
      response.writeHead(402, createPaymentRequired()).end()
      return
    }
    settled.add(payment)
    // a pause that is too long to wait for
    if (!responses) {
      response.writeHead(504, { 'retry-after': '60' }).end()
      return
    }
    const data = { walletAddress: '0x', amountCredited: 5, newBalance: 5, paymentId: 'p' }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: true, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

it('settles 5 USD when top-up 5 runs again after lost responses, in processes of their own', async () => {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    FAREBOX_BASE_URL: baseUrl,
    FAREBOX_PRIVATE_KEY: generatePrivateKey(),
  }
  const topUp = () =>
    waitForExit(spawn(process.execPath, [fareboxBin, 'top-up', '5'], { env, cwd: folder }))
  for (let run = 0; run < 3; run++) {
    const { code, stderr } = await topUp()
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the next top-up sends this payment again'),
    ])
  }
  responses = true
  expect(await topUp()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('5 USD credited') as string,
  })
  expect(settled.size).toBe(1)
  expect(await topUp()).toMatchObject({ code: 0 })
  expect(settled.size).toBe(2)
})
