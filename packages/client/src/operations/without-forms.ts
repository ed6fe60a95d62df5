// The operations that send no forms.
export * from '../generated/functions.js'
