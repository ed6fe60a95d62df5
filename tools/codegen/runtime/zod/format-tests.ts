/** Stands in for the file that is emitted beside `formats.ts`, for tests of the runtime. */
export * from '../../src/formats/format-tests.js'
