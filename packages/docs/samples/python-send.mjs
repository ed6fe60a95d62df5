// Reads a request as JSON from a message, sends it, and gives the response as JSON to its port.
import { parentPort } from 'node:worker_threads'

parentPort.on('message', (message) => void respond(message))

async function respond({ request, answered, port }) {
  const outcome = send(JSON.parse(request)).then(
    (response) => ({ answer: response }),
    (error) => ({ failure: String(error) }),
  )
  port.postMessage(await outcome)
  Atomics.store(answered, 0, 1)
  Atomics.notify(answered, 0)
}

async function send({ method, url, headers, body }) {
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== null && { body: Buffer.from(body, 'base64') }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const { status, statusText } = response
  return JSON.stringify({
    status,
    statusText,
    headers: [...response.headers],
    body: bytes.toString('base64'),
  })
}
