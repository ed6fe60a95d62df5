import type { DocumentEmitter } from '../emit/emitter.js'
import { arbitraries } from './arbitraries.js'
import { client } from './client.js'
import { document } from './document.js'
import { mcp } from './mcp.js'
import { paths } from './paths.js'
import { table } from './table.js'
import { types } from './types.js'
import { zod, zodWith } from './zod.js'

/** Every output. A new one is a file beside this one and a line here. */
export const emitters: readonly DocumentEmitter[] = [types, zod, client, paths, table, arbitraries, mcp, document]

/**
 * What the packages of this repository hold: every output, and the validators in their smallest
 * flavour besides, as an entry of their package.
 */
export const outputsHere: readonly DocumentEmitter[] = [
  ...emitters,
  { ...zodWith({ flavour: 'core' }), into: 'packages/zod/src/core/generated' },
]
