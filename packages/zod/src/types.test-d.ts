import type { components } from '@farebox/types'
import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import type * as core from './core/generated/index.js'
import type * as validators from './generated/index.js'

type Schemas = components['schemas']
type Validators = typeof validators
type Core = typeof core

/** Whether each describes a value of the other; anything but `true` names the side that fails. */
type Same<A, B> = [A] extends [B]
  ? [B] extends [A]
    ? true
    : 'the validator admits more'
  : 'the validator admits less'

type Verdicts = {
  [Name in keyof Schemas]: Name extends keyof Validators
    ? Validators[Name] extends z.ZodType<infer Output, infer Input>
      ? Same<Schemas[Name], Output> extends true
        ? Same<Output, Input>
        : Same<Schemas[Name], Output>
      : 'not a validator'
    : 'there is no validator'
}

type Disagreements = {
  [Name in keyof Verdicts as Verdicts[Name] extends true ? never : Name]: Verdicts[Name]
}

it('types and validators describe the same values, for every schema', () => {
  expectTypeOf<keyof Disagreements>().toEqualTypeOf<never>()
})

it('and so do the types of the core flavour', () => {
  type Others = {
    [
      Name in keyof Core as Same<Schemas[Name], z.output<Core[Name]>> extends true ? never : Name
    ]: Name
  }
  expectTypeOf<keyof Others>().toEqualTypeOf<never>()
  expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof Core>()
})

it('there is a type for every validator', () => {
  expectTypeOf<Exclude<keyof Validators, keyof Schemas>>().toEqualTypeOf<never>()
})

it('notices a field that only one of them has', () => {
  expectTypeOf<
    Same<{ text: string; tokens: number }, { text: string }>
  >().toEqualTypeOf<'the validator admits more'>()
  expectTypeOf<
    Same<{ text?: string }, { text?: string | undefined }>
  >().toEqualTypeOf<'the validator admits more'>()
})
