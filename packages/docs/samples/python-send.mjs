// Reads a request as JSON, sends it, and prints the response as JSON.
import { text } from 'node:stream/consumers'

const { method, url, headers, body } = JSON.parse(await text(process.stdin))
const response = await fetch(url, { method, headers, ...(body !== null && { body: Buffer.from(body, 'base64') }) })
const bytes = Buffer.from(await response.arrayBuffer())
const { status, statusText } = response
process.stdout.write(JSON.stringify({ status, statusText, headers: [...response.headers], body: bytes.toString('base64') }))
