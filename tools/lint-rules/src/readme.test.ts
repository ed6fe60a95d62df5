import { expect, it } from 'vitest'
import { readSpecFile } from '../test/contract.js'
import { extensions } from './document.js'

it('describes in spec/README.md each x- field that the rules know, and no other', async () => {
  const rows = (await readSpecFile('README.md')).matchAll(/^\| `(x-[a-z0-9-]+)` \|/gm)

  expect([...rows].map(([, name]) => name).sort()).toEqual([...extensions])
})
