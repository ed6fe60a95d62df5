import { lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPacked } from '@farebox/release/install-packed'
import { expect, it } from 'vitest'

it('a package that another one depends on is installed too, and not linked to the tree', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-packed-'))
  await installPacked(folder, ['packages/cli', 'packages/farebox'])
  expect(lstatSync(join(folder, 'node_modules/farebox')).isSymbolicLink()).toBe(false)
  rmSync(folder, { recursive: true })
})
