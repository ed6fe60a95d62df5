import { expect, it } from 'vitest'
import type { OperationData } from '../contract/operation-data.js'
import { findMissing } from '../form/problems.js'
import { printers } from './printers.js'

const operation: OperationData = {
  id: 'addTram',
  method: 'POST',
  path: '/lines/{line}/trams',
  credentials: [],
  pays: false,
  parameters: [
    { name: 'line', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'dry', in: 'query', required: false, schema: { type: 'boolean' } },
  ],
  body: {
    mediaType: 'application/json',
    schema: { properties: { name: { type: 'string' }, colour: {} }, required: ['name'] },
  },
  example: { path: {}, query: {} },
}
const values = { path: { line: '9' }, query: {}, body: { name: `It's a "tram"` } }

it('names the required parameters and fields that are empty', () => {
  expect(findMissing(operation, { path: { line: '' }, query: {}, body: {} })).toEqual({
    'path.line': 'Required',
    'body.name': 'Required',
  })
  expect(findMissing(operation, values)).toEqual({})
})

const draft = {
  operation,
  values,
  access: 'none',
  origin: 'https://a.example',
  base: 'https://a.example/v1',
  schemes: [
    { name: 'apiKey', carrier: 'query', parameter: 'key' },
    { name: 'token', carrier: 'bearer', parameter: 'Authorization' },
  ],
} as const

it.each([
  [
    'curl',
    [
      `curl -sS -X POST 'https://a.example/v1/lines/9/trams'"?key=$API_KEY" \\`,
      `  -H 'Authorization: '"Bearer $TOKEN" \\`,
      `  -H 'content-type: application/json' \\`,
      `  -d '{"name":"It'\\''s a \\"tram\\""}'`,
    ],
  ],
  [
    'fetch',
    [
      `const url = new URL('https://a.example/v1/lines/9/trams')`,
      `url.searchParams.set('key', process.env.API_KEY ?? '')`,
      'const response = await fetch(url, {',
      `  method: 'POST',`,
      "  headers: { 'content-type': 'application/json', 'Authorization': `Bearer ${process.env.TOKEN}` },",
      `  body: JSON.stringify({ name: 'It\\'s a "tram"' }),`,
      '})',
      'console.log(response.status, await response.text())',
    ],
  ],
])('copies a request as %s, with credentials from the environment', (name, lines) => {
  expect(printers.find((printer) => printer.name === name)?.print(draft)).toBe(lines.join('\n'))
})
