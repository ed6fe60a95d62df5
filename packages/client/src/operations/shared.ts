// What callers of operations need with and without forms, without the code of either.
export { formIds } from '../generated/form-ids.js'
export { InvalidInputError } from '../generated/invalid-input-error.js'
export { UnexpectedResponseError } from '../generated/unexpected-response-error.js'
