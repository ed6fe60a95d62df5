import { holder } from '../holds.js'

/** Whether a Date stands anywhere in the values of a schema. */
export const holdsDate = holder((schema) => schema.kind === 'string' && schema.date === true)
