import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installed } from '@farebox/testing/installed'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { run } from '@farebox/testing/commands'
import type { Tarball } from './packed.js'

/** Throws the findings of publint and attw. Packages are ESM only, so require() is ignored. */
export async function lintTarball({ name, tarball }: Tarball): Promise<void> {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(bytes).buffer },
    strict: true,
  })
  if (messages.length > 0)
    throw new Error(
      `publint of ${name}:\n${messages.map((one) => formatMessage(one, pkg, { color: false })).join('\n')}`,
    )

  const attw = installed('@arethetypeswrong/cli', '0.18.5')
  const { bin } = createRequire(import.meta.url)(join(attw, 'package.json')) as {
    readonly bin: { readonly attw: string }
  }
  await run(process.execPath, [
    join(attw, bin.attw),
    tarball,
    '--profile',
    'esm-only',
    '--no-color',
    '--no-emoji',
  ])
}
