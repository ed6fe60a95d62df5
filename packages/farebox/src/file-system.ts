// What needs a file system. A bundle for browsers has `no-file-system.ts` in its place. Neither may
// import what is packed, such as `error.ts`: its classes would be there twice.
export { readMedia } from './read-media.js'
export { save } from './save.js'
