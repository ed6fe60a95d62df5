// The programs of the outside projects. Each prints one line of JSON, which `expectOutput` compares
// with the right answer.

/** With an API key: parses a document and checks the response with the validators. */
const withKey = `
  const farebox = createFarebox({ baseUrl, apiKey, dangerouslyAllowBrowser: true })
  const answer = await farebox.parseText({ file: new Blob(['Tram fares']) })
  const text = ParsedText.parse(answer).text`

/** With an empty wallet: pays. */
const createPayingSource = (more = ''): string => `
  const paying = createFarebox({ baseUrl, wallet: privateKeySigner(generatePrivateKey())${more} })
  const { newBalance } = await paying.topUp(5)`

const withWallet = createPayingSource()

const values = `{ text, newBalance }`

const named = {
  farebox: ['createFarebox'],
  '@farebox/auth/keys': ['generatePrivateKey', 'privateKeySigner'],
  '@farebox/zod': ['ParsedText'],
}

const imports = Object.entries(named)
  .map(([from, names]) => `import { ${names.join(', ')} } from '${from}'\n`)
  .join('')

const requires = Object.entries(named)
  .map(([from, names]) => `const { ${names.join(', ')} } = require('${from}')\n`)
  .join('')

const fromEnvironment = `
  const baseUrl = process.env['FAREBOX_BASE_URL']
  const apiKey = process.env['FAREBOX_API_KEY']
  if (baseUrl === undefined || apiKey === undefined) throw new Error('FAREBOX_BASE_URL and FAREBOX_API_KEY are not set.')`

const main = `async function main() {${fromEnvironment}${withKey}${withWallet}
  console.log(JSON.stringify(${values}))
}
await main()
`

export const esm = imports + main

export const commonJs = requires + main.replace('await main()', 'main()')

/** The same as a test of Jest. */
export const commonJsTest = `${requires}
test('calls the service', async () => {${fromEnvironment}${withKey}${withWallet}
  expect(${values}).toEqual({ text: 'Tram fares', newBalance: 5 })
})
`

/** The same in TypeScript: the types of the packages must describe the values. */
export const typescript =
  imports +
  `import { isFareboxError, type Farebox } from 'farebox'
import type { StandardError } from '@farebox/types'
import { operations, type OperationId } from '@farebox/types/operations'
import { createClient } from '@farebox/client'
import { bearer, pay, signIn } from '@farebox/auth'
import { withMiddleware, type Middleware } from '@farebox/middleware'
import { failureBudget, openTelemetry, rateLimit, retry } from '@farebox/retry'
import { validation } from 'farebox/validation'
import * as solana from '@farebox/auth/solana'
import * as verify from '@farebox/auth/verify'

export const chain: readonly Middleware[] = [retry(), rateLimit(), failureBudget(), bearer('KEY')]
export const all = [validation, solana, verify, openTelemetry, createClient, pay, signIn, withMiddleware, operations] as const
export const ids: readonly OperationId[] = ['parseText', 'createSpeech']
export function why(error: unknown): StandardError['error'] | undefined {
  return isFareboxError(error, 'parseText', 401) ? error.body.error : undefined
}
export const balanceOf = async (farebox: Farebox): Promise<number> => (await farebox.balance()).balanceUsd
// @ts-expect-error: the contract has no such operation
export const wrong: OperationId = 'parseTexts'

${main}`

export const typescriptCommonJs = `import keys = require('@farebox/auth/keys')
import sdk = require('farebox')
import validators = require('@farebox/zod')
const { createFarebox } = sdk
const { generatePrivateKey, privateKeySigner } = keys
const { ParsedText } = validators

${main.replace('await main()', 'void main()')}`

export const createBrowserSource = (baseUrl: string, apiKey: string): string => `${imports}
const [baseUrl, apiKey] = ${JSON.stringify([baseUrl, apiKey])}
async function main() {${withKey}${withWallet}
  return ${values}
}
main().then((value) => (document.title = JSON.stringify(value)), (error) => (document.title = String(error)))
`

/** A worker has no disk, so it names its store. */
export const createWorkerSource = (
  baseUrl: string,
  apiKey: string,
): string => `${imports}import { memoryPaymentStore } from '@farebox/auth'
const [baseUrl, apiKey] = ${JSON.stringify([baseUrl, apiKey])}
export default {
  async fetch() {
    try {${withKey}${createPayingSource(', payments: { store: memoryPaymentStore() }')}
      return Response.json(${values})
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 })
    }
  },
}
`

export const petstore = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: A pet, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
components:
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string } } }
`
