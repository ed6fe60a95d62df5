import { createFarebox, isFareboxError } from 'farebox'
import { validation } from 'farebox/validation'

const farebox = createFarebox({ validation: validation() })
const error = await farebox.createSpeech({ input: '' }).catch((thrown: unknown) => thrown)
if (isFareboxError(error)) console.log(error.code, error.attempts, error.message) // nothing was sent
