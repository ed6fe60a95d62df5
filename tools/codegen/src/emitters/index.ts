import type { Emitter } from '../emit/emitter.js'
import { arbitraries } from './arbitraries.js'
import { client } from './client.js'
import { document } from './document.js'
import { mcp } from './mcp.js'
import { types } from './types.js'
import { zod } from './zod.js'

/** Every output. A new one is a file beside this one and a line here. */
export const emitters: readonly Emitter[] = [types, zod, client, arbitraries, mcp, document]
