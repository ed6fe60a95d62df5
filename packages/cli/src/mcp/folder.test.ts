import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFolder, type Folder } from './folder.js'

const root = mkdtempSync(join(tmpdir(), 'farebox-folder-'))
const inside = join(root, 'inside')
let folder: Folder
beforeAll(async () => {
  mkdirSync(join(inside, 'notes'), { recursive: true })
  mkdirSync(join(root, 'inside-not'))
  writeFileSync(join(root, 'secret'), 'secret')
  writeFileSync(join(root, 'inside-not/secret'), 'secret')
  writeFileSync(join(inside, 'notes/a.txt'), 'Tram fares')
  symlinkSync(join(root, 'secret'), join(inside, 'link'))
  symlinkSync(root, join(inside, 'up'))
  symlinkSync('notes/a.txt', join(inside, 'alias'))
  symlinkSync(join(root, 'new'), join(inside, 'dangling'))
  spawnSync('mkfifo', [join(inside, 'pipe')])
  folder = await openFolder(inside)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const outsiders = [
  '../secret',
  '../none',
  '/etc/passwd',
  'notes/../../secret',
  '../inside-not/secret',
  '',
  '.',
  'a\0b',
  'up/secret',
]

describe('a folder', () => {
  it('reads files in it, and through links that stay inside', async () => {
    expect(Buffer.from(await folder.read('notes/a.txt', 100)).toString()).toBe('Tram fares')
    expect(Buffer.from(await folder.read('alias', 100)).toString()).toBe('Tram fares')
  })

  it.each([...outsiders, 'link'])('reads nothing at %j', async (name) => {
    await expect(folder.read(name, 100)).rejects.toThrow('is not in the folder')
  })

  it.each(outsiders)('writes nothing at %j', async (name) => {
    await expect(folder.create(name)).rejects.toThrow('is not in the folder')
  })

  it('reads no folder, no pipe, nothing that is not there and nothing too large', async () => {
    await expect(folder.read('notes', 100)).rejects.toThrow('"notes" is not a file.')
    await expect(folder.read('pipe', 100)).rejects.toThrow('"pipe" is not a file.')
    await expect(folder.read('none', 100)).rejects.toThrow('There is no file "none"')
    await expect(folder.read('notes/a.txt', 9)).rejects.toThrow(
      '"notes/a.txt" has 10 bytes; at most 9 are allowed.',
    )
  })

  it('writes new files, and over nothing', async () => {
    const file = await folder.create('notes/b.txt')
    await file.write(Buffer.from('b'))
    await file.close()
    expect([file.name, readFileSync(join(inside, 'notes/b.txt'), 'utf8')]).toEqual([
      join('notes', 'b.txt'),
      'b',
    ])
    for (const name of ['notes/b.txt', 'notes', 'link', 'dangling'])
      await expect(folder.create(name), name).rejects.toThrow('is not overwritten')
    await expect(folder.create('none/b.txt')).rejects.toThrow(
      'There is no folder for "none/b.txt".',
    )
    await file.remove()
    await (await folder.create('notes/b.txt')).remove()
  })

  it('is one that is there', async () => {
    await expect(openFolder(join(root, 'none'))).rejects.toThrow('expected an existing folder')
    await expect(openFolder(join(root, 'secret'))).rejects.toThrow('expected an existing folder')
  })
})
