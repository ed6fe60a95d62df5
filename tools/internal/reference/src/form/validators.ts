import { validators as contract } from '@farebox/zod/core/operations'
import { config } from 'zod/v4/core'
import { en } from 'zod/v4/locales'

/** The part of zod that a form uses. */
export type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly errors?: readonly (readonly Issue[])[]
}
type Result = { readonly error?: { readonly issues: readonly Issue[] } | undefined }
type Validator = { readonly safeParse: (value: unknown) => Result }
type Validators = {
  readonly responses: unknown
  readonly path?: Validator
  readonly query?: Validator
  readonly body?: Readonly<Record<string, Validator>>
}

config(en())

/** The validators of the contract, with messages in English. */
export const validators: Readonly<Record<string, Validators>> = contract
