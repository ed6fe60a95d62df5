import type { Program } from '@farebox/command-line'
import type { Command, Environment, Flag } from './command.js'
import { commands } from './commands.js'
import { findSettingsPath } from './settings/settings.js'
import { readVersion } from './version.js'

/** The options of every command. */
const flags: readonly Flag[] = [
  {
    name: 'base-url',
    kind: 'text',
    value: 'URL',
    help: 'the service, ending in /api/v1 (env: FAREBOX_BASE_URL)',
  },
  {
    name: 'allow-insecure-http',
    kind: 'switch',
    help: 'allow http to another machine (env: FAREBOX_ALLOW_INSECURE_HTTP=true)',
  },
  {
    name: 'config',
    kind: 'text',
    value: 'FILE',
    help: 'the settings file (env: FAREBOX_CONFIG)',
    completes: 'file',
  },
  {
    name: 'as',
    kind: 'text',
    value: 'WHO',
    help: 'call with the wallet or the key, if both are set',
    choices: ['wallet', 'key'],
  },
  {
    name: 'timeout',
    kind: 'text',
    value: 'SECONDS',
    help: 'the time limit of an attempt, and of a pause within audio, video or a stream (default 60)',
    field: ['timeoutMs', 'idleTimeoutMs'],
  },
  { name: 'json', kind: 'switch', help: 'print results and errors as JSON' },
  { name: 'jsonl', kind: 'switch', help: 'print one line of JSON for each result' },
  {
    name: 'select',
    kind: 'text',
    value: 'PATH',
    help: 'print only this part of the JSON, such as id or 0.price.usd',
  },
  { name: 'quiet', kind: 'switch', short: 'q', help: 'print no progress' },
]

/** The command `farebox`. */
export function createProgram(environment: Environment): Program<string, Command> {
  return {
    name: 'farebox',
    summary: 'calls a Farebox inference service from the command line',
    version: readVersion(),
    operands: [],
    flags,
    commands,
    examples: ['farebox help speech', 'farebox speech "Hello" -o hello.mp3'],
    credentials:
      'Set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, or let farebox init write it into the configuration.',
    notes: [
      {
        title: 'Credentials:',
        text: 'They come from the environment or from a file that only you can read, never from the command line, which every user of the machine can see.',
        rows: [
          ['FAREBOX_API_KEY', 'an API key'],
          ['FAREBOX_PRIVATE_KEY', 'a wallet: 0x and 64 hex digits (EVM), or base58 (Solana)'],
          ['FAREBOX_BASE_URL', 'the service, for instance http://127.0.0.1:4020/api/v1'],
          ['FAREBOX_SERVICE_NAME', 'the name of the service in the statement that a wallet signs'],
          ['FAREBOX_OPERATOR_KEY', 'the operator key, for the keys commands'],
          [
            'FAREBOX_OPERATOR_URL',
            'where the operator of the service listens (default http://127.0.0.1:4021)',
          ],
          [
            'FAREBOX_CONFIG',
            `the file to read instead of ${findSettingsPath({ ...environment, FAREBOX_CONFIG: '' })}`,
          ],
        ],
      },
      {
        title: 'Configuration:',
        text: 'The file has the mode 0600: {"baseUrl": "...", "apiKey": "...", "privateKey": "...", "confirmAboveUsd": 1}. Above confirmAboveUsd a command asks before it spends.',
      },
      {
        title: 'Exit codes:',
        text: '0 success, 1 rejected or failed, 2 wrong usage or input, 70 internal error, 130 interrupted with Ctrl-C. Results go to stdout, everything else to stderr.',
      },
    ],
  }
}
