import type { Emitter } from '../emit/emitter.js'
import { sourceFile } from '../emit/source-file.js'
import { operationTable } from './table/operation-table.js'

/** A table of facts about each operation, for a program that decides by them. */
export const table: Emitter = {
  name: 'table',
  into: 'packages/types/src/table/generated',
  optional: true,
  emit: (api) => [sourceFile('index.ts', operationTable(api))],
}
