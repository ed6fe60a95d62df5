import { symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { withFiles } from '../../test/documents.js'
import { findDocuments, isDocument } from './try-document.js'

it.each<readonly [string, string, boolean]>([
  ['a.yaml', 'openapi: 3.1.0\n', true],
  ['a.yml', '# first\nswagger: "2.0"\n', true],
  ['a.json', '{ "info": {}, "openapi": "3.0.0" }', true],
  ['a.json', '{ "dependencies": { "openapi": "3.0.0" } }', false],
  ['a.json', '{ "openapi": 3', false],
  ['a.yaml', 'dependencies:\n  openapi: 3.0.0\n', false],
  ['a.yaml', 'openapi: 1.0.0\n', false],
])('%s with %j is a document: %j', (path, text, expected) => {
  expect(isDocument(path, text)).toBe(expected)
})

it('finds each document of a folder once', async () => {
  const files = {
    'b/x.yaml': 'openapi: 3.1.0\n',
    'a/node_modules/x.yaml': 'openapi: 3.1.0\n',
    'a/y.json': '{ "swagger": "2.0" }',
    'a/z.txt': 'openapi: 3.1.0\n',
  }
  await withFiles(files, async (cwd) => {
    await symlink(join(cwd, 'b'), join(cwd, 'a/link'))
    expect((await findDocuments(cwd)).map((path) => relative(cwd, path))).toEqual([
      'a/node_modules/x.yaml',
      'a/y.json',
    ])
    expect(await findDocuments(join(cwd, 'b/x.yaml'))).toHaveLength(1)
  })
})
