import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { installed } from '../bench/lib/installed.mjs'
import { run } from './command.mjs'

/**
 * Throws what publint and attw have against a tarball. Packages are ESM only: require() of them works from Node 20.19 on.
 * @param {{ readonly name: string, readonly tarball: string }} one
 */
export async function judged({ name, tarball }) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  })
  if (messages.length > 0)
    throw new Error(`publint of ${name}:\n${messages.map((one) => formatMessage(one, pkg, { color: false })).join('\n')}`)

  const attw = installed('@arethetypeswrong/cli', '0.18.5')
  const { bin } = createRequire(import.meta.url)(join(attw, 'package.json'))
  await run(process.execPath, [join(attw, bin.attw), tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'])
}
