import { expectTypeOf, test } from 'vitest'
import type { Operations } from './index.js'
import type * as functions from './operations.js'

type Functions = Omit<typeof functions, 'Context'>

/** A function without its context, which `createOperations` gives it. */
type BoundFunction<Call> = Call extends (
  context: functions.Context,
  ...rest: infer Rest
) => infer Result
  ? (...rest: Rest) => Result
  : never

type LastOverload<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Result
  : never

test('each function with its context is the method of its name', () => {
  expectTypeOf<{
    readonly [Id in keyof Functions]: BoundFunction<Functions[Id]>
  }>().toEqualTypeOf<{ readonly [Id in keyof Operations]: LastOverload<Operations[Id]> }>()
})
