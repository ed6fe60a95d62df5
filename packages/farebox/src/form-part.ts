// What sends forms. Its code is loaded with `import()` by the first call that sends one.
export * from '@farebox/client/operations/with-forms'
export { parseAll } from './parse-all.js'
