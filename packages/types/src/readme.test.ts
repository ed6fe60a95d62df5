import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const home = new URL('../', import.meta.url)

it('each snippet of the README is an example, which the compiler checks', async () => {
  const readme = await readFile(new URL('README.md', home), 'utf8')
  const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text)
  const files = await readdir(new URL('examples/', home))
  const examples = await Promise.all(files.map(async (file) => readFile(new URL(`examples/${file}`, home), 'utf8')))
  expect(new Set(snippets)).toEqual(new Set(examples))
})
