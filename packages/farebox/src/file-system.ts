// The functions that need a file system. A bundle for browsers has `no-file-system.ts` instead.
// Neither may import a packed module, such as `error.ts`: its classes would be there twice.
export { readMedia } from './read-media.js'
export { save } from './save.js'
