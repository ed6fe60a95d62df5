export { generatePrivateKey, privateKeySigner } from './signers/key-signers.js'
export { solanaKeySigner } from './signers/key-signers.js'
