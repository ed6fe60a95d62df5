export { generatePrivateKey, privateKeySigner } from './private-key-signer.js'
export { solanaKeySigner } from './solana-key-signer.js'
