import type { Command } from '../command.js'
import { bash } from './bash.js'
import { fish } from './fish.js'
import { zsh } from './zsh.js'

/** A script for each shell that completes the commands, their options, and the values that are known beforehand. */
export const shells: { readonly [Name in Shell]: (commands: readonly Command[]) => string } = { bash, zsh, fish }

export type Shell = 'bash' | 'zsh' | 'fish'
