import { describe, expect, it } from 'vitest'
import { build, withOperation } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'

type Urls = readonly string[]

async function compare(before: Urls, after: Urls, document: Urls = ['https://a.example']) {
  const toServers = (urls: Urls) => urls.map((url) => ({ url }))
  const [base, head] = await Promise.all(
    [before, after].map((urls) => {
      const own = urls.length === 0 ? {} : { servers: toServers(urls) }
      const operation = { operationId: 'listTrams', ...own }
      return build(withOperation(operation, '/trams', { servers: toServers(document) }))
    }),
  )
  if (base === undefined || head === undefined) throw new Error('a document is missing')
  return compareApi(base, head).map(({ sentence }) => sentence)
}

describe('servers of an operation', () => {
  const added = (name: string) => `listTrams: the server https://${name}.example is new`
  const gone = (name: string) => `listTrams: the server https://${name}.example is gone`

  it.each<[string, Urls, Urls, Urls]>([
    ['replace those of the document', [], ['https://b.example'], [added('b'), gone('a')]],
    ['are replaced by those of the document', ['https://b.example'], [], [added('a'), gone('b')]],
    ['may be those of the document', [], ['https://a.example'], []],
    ['may be more', [], ['https://a.example', 'https://b.example'], [added('b')]],
  ])('%s', async (_title, before, after, sentences) => {
    expect(await compare(before, after)).toEqual(sentences)
  })
})
