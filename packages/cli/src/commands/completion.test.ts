import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fareboxBin } from '../../test/farebox-command.js'
import { runBash } from '../../test/run-bash.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const runFarebox = (...args: readonly string[]) =>
  spawnSync(process.execPath, [fareboxBin, ...args], { encoding: 'utf8' })

beforeAll(() => {
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), runFarebox('completion', shell).stdout)
  writeFileSync(join(folder, 'fares.pdf'), '')
})

/** What bash itself offers for a line, the cursor at its end. */
function complete(...words: readonly string[]): readonly string[] {
  const script = `source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _farebox; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = runBash(
    ['--norc', '-u', '-c', script, 'bash', 'farebox', ...words],
    folder,
  )
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

describe('completion', () => {
  it('offers commands, options, values and files in bash', () => {
    expect(complete('top')).toEqual(['top-up'])
    expect(complete('keys', '')).toEqual([
      'create',
      'list',
      'show',
      'limit',
      'rotate',
      'revoke',
      'usage',
    ])
    expect(complete('voices', 'c')).toEqual(['create'])
    expect(complete('help', 'ba')).toEqual(['balance'])
    expect(complete('balance', '--js')).toEqual(['--json', '--jsonl'])
    expect(complete('keys', 'create', '--l')).toEqual(['--limit-usd', '--limit-diem'])
    expect(complete('speech', 'Hello', '--format', 'f')).toEqual(['flac'])
    expect(complete('--json', 'speech', '--format', 'f')).toEqual(['flac'])
    expect(complete('speech', 'Hello', '-o', 'far')).toEqual(['fares.pdf'])
    expect(complete('parse', 'fa')).toEqual(['fares.pdf'])
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(complete('top-up', '1')).toEqual([])
    expect(complete('speech', '--voice', '')).toEqual([])
  })

  it('is a script that each shell at hand can read', () => {
    const checks = { bash: ['-n'], zsh: ['-n'], fish: ['--no-execute'] } as const
    const read = Object.entries(checks).map(([shell, flags]) => {
      const args = [...flags, join(folder, shell)]
      const { error, status, stderr } =
        shell === 'bash' ? runBash(args) : spawnSync(shell, args, { encoding: 'utf8' })
      return error === undefined ? { shell, status, stderr } : undefined
    })
    expect(
      read.filter(
        (result) => result !== undefined && (result.status !== 0 || result.stderr !== ''),
      ),
    ).toEqual([])
    expect(read[0]).toEqual({ shell: 'bash', status: 0, stderr: '' })
  })

  deepTest('completes in three shells', () => {
    expect(runFarebox('completion', 'tcsh')).toMatchObject({ status: 2, stdout: '' })
    expect(runFarebox('completion', 'tcsh').stderr).toContain(
      'SHELL: found "tcsh", expected one of bash, zsh, fish.',
    )
  })
})
