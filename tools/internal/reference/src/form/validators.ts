import { validators as contract } from '@farebox/zod/core/operations'
import { config } from 'zod/v4/core'
import { en } from 'zod/v4/locales'
import type { Validators } from './validator.js'

config(en())

/** The validators of the contract, with messages in English. */
export const validators: Readonly<Record<string, Validators>> = contract
