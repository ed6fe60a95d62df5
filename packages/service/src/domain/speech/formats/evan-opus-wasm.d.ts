// its native form, which the package's main entry loads, takes the process down when a worker thread ends
declare module '@evan/opus/wasm/index.mjs' {
  export { Encoder } from '@evan/opus'
}
