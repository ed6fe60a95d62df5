import type { ListModelsInput } from '@farebox/client'
import type { Farebox } from 'farebox'
import type { Context } from './command.js'
import { UsageError } from './errors.js'

/** `--model`, else the first model of a type that the service can call. */
export async function chooseModel(
  { arguments: given, signal }: Context,
  farebox: Farebox,
  type: NonNullable<ListModelsInput['type']>,
): Promise<string> {
  const model = given.text('model')
  if (model !== undefined) return model
  const [first] = await farebox.listModels({ type }, { signal })
  if (first) return first.id
  throw new UsageError(
    `The service has no model of type ${type}. farebox models lists those that it has.`,
  )
}
