import type { Program } from '../command.js'
import { bash } from './bash.js'
import { fish } from './fish.js'
import { zsh } from './zsh.js'

/**
 * For each shell, a script that completes commands, options and known values.
 */
export const shells: { readonly [Name in Shell]: (program: Program) => string } = {
  bash,
  zsh,
  fish,
}

export type Shell = 'bash' | 'zsh' | 'fish'
