// The operations that send forms. A form needs twice the code of JSON, so a page may load it later.
export * from '../generated/form-functions.js'
