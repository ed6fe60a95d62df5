export type Benchmark = {
  /** The purpose of the benchmark, in one line. */
  readonly about: string
  /** The arguments after its name. Default: it has a help of its own. */
  readonly args?: string
  readonly run: (args: readonly string[]) => Promise<void>
}

/** Every benchmark by its name. A module loads when its benchmark runs. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  auth: {
    about: 'signing and verifying sign-ins and payments, and their size in a browser, beside viem, siwe, ethers and the clients of x402',
    args: '[ROUNDS]',
    run: async (args) => (await import('./auth.js')).auth(args),
  },
  client: {
    about: 'the client beside openapi-fetch and openai: bytes, in-process cost of a call, type instantiations, import time',
    args: '[ROUNDS]',
    run: async (args) => (await import('./client.js')).client(args),
  },
  codegen: {
    about: "generators side by side on GitHub's REST document: CPU, memory, and what the compiler spends on their output",
    run: async (args) => (await import('./codegen.js')).codegen(args),
  },
  faults: {
    about: 'which client does right under scripted faults: ours beside openai, stripe, octokit, azure, got and ky',
    args: '',
    run: async () => (await import('./faults.js')).faults(),
  },
  service: {
    about: 'the service: its start, requests beside a bare Hono server, memory, charges and sales beside the bare statements',
    args: '[REQUESTS]',
    run: async (args) => (await import('./service.js')).service(args),
  },
  sizes: {
    about: "the size of one validator in a browser, from the output for GitHub's REST document",
    args: '',
    run: async () => (await import('./sizes.js')).sizes(),
  },
  validators: {
    about: 'a page of 1,000 objects parsed by generated validators, beside zod written by hand for the same shape',
    args: '[ROUNDS]',
    run: async (args) => (await import('./validators.js')).validators(args),
  },
  verdicts: {
    about: 'how many verdicts of the public JSON Schema suite the validators of each generator get right, from OpenAPI 3.1 documents',
    run: async (args) => (await import('./verdicts.js')).verdicts(args),
  },
}
