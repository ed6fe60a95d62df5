import { type Command, type Flag, output, text, toggle } from './command.js'

const chain: Flag = {
  ...text('chain', 'CHAIN', 'evm or solana (default evm)'),
  choices: ['evm', 'solana'],
}

/** The commands that set up a machine, and show its settings. */
export const setUpCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'make the configuration: the service, and a wallet or an API key',
    details: `Asks at the terminal for what no option says. Only you can read the file. A file that exists is not changed. Secrets come from a file or from
stdin, never from the command line.`,
    operands: [],
    flags: [
      toggle('new-wallet', 'make a wallet for it'),
      chain,
      {
        ...text('wallet-file', 'FILE', 'the private key of a wallet of yours; - is stdin'),
        completes: 'file',
      },
      { ...text('key-file', 'FILE', 'an API key; - is stdin'), completes: 'file' },
    ],
    examples: [
      'farebox init',
      'farebox init --base-url https://api.example.com/api/v1 --new-wallet',
      'farebox init --base-url https://api.example.com/api/v1 --key-file tram.key',
    ],
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'whoami',
    summary: 'show who the service takes you for, with balance and limits',
    details: `With --check it looks at all that a call needs instead: Node, configuration, service, clock, sign-in, caps and proxy. It sends nothing that costs,
changes nothing, and exits with 1 if a check failed. A warning is not a failure.`,
    operands: [],
    flags: [toggle('check', 'check the whole setup, and say what to do about each failure')],
    examples: [
      'farebox whoami',
      'farebox whoami --check',
      'farebox whoami --as key --select balances.USD',
    ],
    load: async () => (await import('./commands/whoami.js')).whoami,
  },
  {
    name: 'wallet new',
    summary: 'make a wallet, whose secret goes into a file',
    details:
      'Without -o the secret goes into the configuration, which must have no wallet yet. A file that exists is not written over.',
    operands: [],
    flags: [chain, output, toggle('print', 'print the secret and keep it nowhere')],
    examples: ['farebox wallet new', 'farebox wallet new --chain solana -o tram.wallet'],
    load: async () => (await import('./commands/wallet.js')).walletNew,
  },
  {
    name: 'wallet show',
    summary: 'show the address of the wallet, and where its secret is',
    operands: [],
    flags: [toggle('secret', 'print the private key, and that alone')],
    examples: ['farebox wallet show', 'farebox wallet show --select address'],
    load: async () => (await import('./commands/wallet.js')).walletShow,
  },
]
