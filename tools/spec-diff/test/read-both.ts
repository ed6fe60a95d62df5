import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Translations } from '@farebox/codegen/model'
import { compareContracts, type Contract } from '../src/compare/contracts.js'
import { readVersion } from '../src/versions/read-version.js'
import type { Node } from './edits.js'

export const base = readFileSync(new URL('base.yaml', import.meta.url), 'utf8')

export async function read(
  name: string,
  text: string,
  translations: Translations = {},
): Promise<Contract> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-read-version-'))
  try {
    writeFileSync(join(folder, name), text)
    const contract = await readVersion(name, { spec: '', cwd: folder, translations })
    if (contract === undefined) throw new Error(`${name} was not read`)
    return contract
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The changes between two documents, read apart, and with their equal parts read once. */
export async function compareBoth(
  older: string,
  newer: string,
): Promise<readonly [string, string]> {
  const translations = {}
  const before = await read('older.json', older, translations)
  const apart = await read('newer.json', newer)
  const together = await read('newer.json', newer, translations)
  return [
    JSON.stringify(compareContracts(before, apart)),
    JSON.stringify(compareContracts(before, together)),
  ]
}

export const write = (document: Node) => JSON.stringify(document, undefined, 2)
export const editBase = (edit: (document: Node) => void, text = base) => {
  const document = parse(text) as Node
  edit(document)
  return write(document)
}
