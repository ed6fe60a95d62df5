import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { type Program, expected } from './command.js'
import { runProgram } from './run-program.js'

const tram: Program<'line'> = {
  name: 'tram',
  summary: 'rides a tram',
  version: '1.2.3',
  operands: [{ name: 'STOP', required: false, completes: 'file' }],
  flags: [{ name: 'line', kind: 'text', value: 'LINE', help: 'the line', choices: ['7', '11'] }],
  examples: [],
}

async function run(...args: readonly string[]) {
  const said = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (said[name] += text) })
  const world = { environment: {}, out: stream('out'), err: stream('err') }
  const code = await runProgram(tram, args, world, (given) => {
    if (given.text('line') === '13') throw expected('--line', '13', '7 or 11')
    said.out += `${given.operands.join()} by ${given.text('line')}`
    return 1
  })
  return { code, ...said }
}

it('runs the action with the arguments and takes its exit code', async () => {
  expect(await run('Harbour', '--line', '7')).toEqual({ code: 1, out: 'Harbour by 7', err: '' })
})

it('prints help and version on stdout', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' })
  expect(await run('--help')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Usage: tram \[options\] \[STOP\]\n/) as string,
  })
})

it('ends with 2 for wrong usage, of its own or of the action, and says where the help is', async () => {
  const hint = 'Run tram --help for all options.\n'
  expect(await run('--lin', '7')).toEqual({
    code: 2,
    out: '',
    err: `tram: Unknown option '--lin'. Did you mean --line?\n${hint}`,
  })
  expect(await run('--line', '13')).toEqual({
    code: 2,
    out: '',
    err: `tram: --line: found "13", expected 7 or 11.\n${hint}`,
  })
})

it('prints a completion script where there is a version', async () => {
  const { code, out } = await run('--completion', 'bash')
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('complete -o filenames -F _tram tram\n') as string,
  ])
  expect(await run('--completion', 'tcsh')).toMatchObject({
    code: 2,
    err: expect.stringContaining('expected one of bash, zsh, fish') as string,
  })
})

it('completes the flags and values of a program of one command in bash', async () => {
  const { out } = await run('--completion', 'bash')
  const complete = (...words: readonly string[]) => {
    const script = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tram; printf '%s ' "\${COMPREPLY[@]}"`
    // in a locale that is not installed, bash would print a warning
    const env = { ...process.env, LC_ALL: 'C' }
    return spawnSync('bash', ['--norc', '-u', '-c', script, 'bash', 'tram', ...words], {
      encoding: 'utf8',
      env,
    })
  }
  expect(complete('--l')).toMatchObject({ stdout: '--line ', stderr: '' })
  expect(complete('--line', '')).toMatchObject({ stdout: '7 11 ', stderr: '' })
  expect(complete('--h')).toMatchObject({ stdout: '--help ', stderr: '' })
})

it.each(['zsh', 'fish'])('prints a script for %s that names each flag once', async (shell) => {
  const { code, out } = await run('--completion', shell)
  expect([code, out.match(/(?:--|-l )line\b/g)?.length, out.includes('undefined')]).toEqual([
    0,
    1,
    false,
  ])
})
