/**
 * Stands in for the file of this name that is emitted beside `formats.ts`, so that the runtime can
 * be tested here.
 */
export * from '../../src/formats/format-tests.js'
