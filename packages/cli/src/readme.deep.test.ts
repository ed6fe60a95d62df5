import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  waitForExit,
  fareboxBin,
  findFixture,
  startCommandLine,
  type CommandLine,
} from '../test/farebox-command.js'

const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
const listCodeBlocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, text = '']) => text,
  )

let line: CommandLine
beforeAll(async () => {
  line = await startCommandLine()
  copyFileSync(findFixture('fare-table.pdf'), join(line.folder, 'fare-table.pdf'))
  // npx farebox, as it is once the package is installed
  mkdirSync(join(line.folder, 'bin'))
  writeFileSync(
    join(line.folder, 'bin/npx'),
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${fareboxBin}' "$@"\n`,
  )
  chmodSync(join(line.folder, 'bin/npx'), 0o755)
})
afterAll(() => line.close())

const runShell = (script: string, env: Readonly<Record<string, string>> = {}) =>
  waitForExit(
    spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      cwd: line.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${join(line.folder, 'bin')}:${process.env['PATH']}`,
        HOME: line.folder,
        ...env,
      },
    }),
  )

describe('the README', () => {
  it('shows commands that run as they stand', async () => {
    const [wallet = '', key = '', ...others] = listCodeBlocks('sh')
    expect(others).toEqual([])
    // the service of this test listens at another port
    const first = await runShell(wallet.replaceAll('http://127.0.0.1:4020/api/v1', line.baseUrl))
    expect(first, first.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('10 USD credited') as string,
    })
    const second = await runShell(key, {
      FAREBOX_BASE_URL: line.baseUrl,
      FAREBOX_API_KEY: line.apiKey,
    })
    expect(second, second.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('local-test-clip') as string,
    })
  })
})
