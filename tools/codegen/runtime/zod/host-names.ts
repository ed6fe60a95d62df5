/** Stands here for the file of that name that goes along with `formats.ts`, so that it can be tried where it is written. */
export * from '../../src/formats/host-names.js'
