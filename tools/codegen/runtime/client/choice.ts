import type { BodyFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'

type ChosenBody = { readonly value: unknown; readonly choice: BodyFacts }

/** A body in the media type that the field "contentType" names. Default: the first. */
export function chooseBody(choices: readonly [BodyFacts, ...BodyFacts[]]): BodyFacts {
  const [first] = choices
  return {
    ...first,
    take: (operation, _body, { contentType = first.contentType, ...input }) => {
      const choice = choices.find((one) => one.contentType === contentType)
      if (choice === undefined) {
        const declared = choices.map((one) => JSON.stringify(one.contentType)).join(' or ')
        throw new InvalidInputError(
          `${operation.id}: the contentType is ${JSON.stringify(contentType)}; expected ${declared}.`,
        )
      }
      const value = choice.take(operation, choice, input)
      return value === undefined ? undefined : { value, choice }
    },
    encode: (chosen, _body, operation) => {
      const { value, choice } = chosen as ChosenBody
      return choice.encode(value, choice, operation)
    },
  }
}
