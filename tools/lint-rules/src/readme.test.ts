import { expect, it } from 'vitest'
import { readSpecFile } from '../test/contract.js'
import { extensions } from './document.js'

it('documents exactly the x- fields of the rules in spec/README.md', async () => {
  const rows = (await readSpecFile('README.md')).matchAll(/^\| `(x-[a-z0-9-]+)` \|/gm)

  expect([...rows].map(([, name]) => name).sort()).toEqual([...extensions])
})
