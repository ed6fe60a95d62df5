/** As much of zod as a form uses. */
export type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly errors?: readonly (readonly Issue[])[]
}
type Result = { readonly error?: { readonly issues: readonly Issue[] } | undefined }
type Validator = { readonly safeParse: (value: unknown) => Result }
export type Validators = {
  readonly responses: unknown
  readonly path?: Validator
  readonly query?: Validator
  readonly body?: Readonly<Record<string, Validator>>
}
