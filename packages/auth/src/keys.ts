export { generatePrivateKey, privateKeySigner } from './signers/private-key-signer.js'
export { solanaKeySigner } from './signers/solana-key-signer.js'
