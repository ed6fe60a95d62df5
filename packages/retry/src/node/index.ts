export { filePaceStore } from './file-pace-store.js'
