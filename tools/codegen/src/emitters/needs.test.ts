import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadDocument } from '../document/load.js'
import { render } from '../pipeline/render.js'
import { buildApi } from '../ir/build.js'
import { folder } from '../pipeline/target.js'
import { emitters } from './index.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

it('each output names the outputs that its files import', async () => {
  const { document } = await loadDocument('spec/openapi.yaml', { cwd: root })
  const api = document && buildApi(document).api
  if (document === undefined || api === undefined) throw new Error('The contract was not read')
  const { files } = await render(api, document, emitters, folder('out', 'test'))
  const names = emitters.map(({ name }) => name)
  const imported = new Map(names.map((name) => [name, new Set<string>()]))
  for (const [path, pieces] of files) {
    const [, own = ''] = path.split('/')
    for (const [, other = ''] of Buffer.concat(pieces)
      .toString()
      .matchAll(/from '(?:\.\.\/)+(\w+)\/[^']*'/g))
      if (names.includes(other) && other !== own) imported.get(own)?.add(other)
  }
  expect(
    Object.fromEntries([...imported].map(([name, others]) => [name, [...others].toSorted()])),
  ).toEqual(
    Object.fromEntries(emitters.map(({ name, needs = [] }) => [name, [...needs].toSorted()])),
  )
})
