import { createApiKey, createSpeech, listModels, queueVideo, type Tool } from '@farebox/mcp'
import type { Command, Flag } from './command.js'

const output: Flag = {
  name: 'output',
  kind: 'text',
  short: 'o',
  value: 'FILE',
  help: 'the output file; - is stdout',
  completes: 'file',
}
const idempotencyKey: Flag = {
  name: 'idempotency-key',
  kind: 'text',
  value: 'KEY',
  help: 'a repeat with the same key is not charged again',
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'speech',
    summary: 'create speech from text',
    details: 'TEXT of - is read from stdin. The format is the one that the file is named for, else mp3.',
    operands: [{ name: 'TEXT', required: true }],
    flags: [
      output,
      {
        name: 'model',
        kind: 'text',
        value: 'MODEL',
        help: 'the speech model (default tts-kokoro)',
        choices: valuesOf(createSpeech, 'SpeechModel'),
      },
      { name: 'voice', kind: 'text', value: 'VOICE', help: "a voice of the model, or a cloned one (default: the model's own)" },
      {
        name: 'format',
        kind: 'text',
        value: 'FORMAT',
        help: 'mp3, opus, aac, flac, wav or pcm',
        choices: valuesOf(createSpeech, 'SpeechFormat'),
      },
      { name: 'speed', kind: 'text', value: 'FACTOR', help: '0.25 to 4 (default 1)' },
      { name: 'language', kind: 'text', value: 'LANGUAGE', help: 'the language of the text (default: the model detects it)' },
      { name: 'prompt', kind: 'text', value: 'TEXT', help: 'style and delivery, for models that accept it' },
      { name: 'temperature', kind: 'text', value: 'NUMBER', help: '0 to 2, for models that accept it' },
      { name: 'top-p', kind: 'text', value: 'NUMBER', help: '0 to 1, for models that accept it' },
      { name: 'stream', kind: 'switch', help: 'stream the audio sentence by sentence' },
      idempotencyKey,
    ],
    examples: ['farebox speech "Hello" -o hello.mp3', 'farebox speech - --voice bm_george < story.txt | play -t mp3 -'],
    load: async () => (await import('./commands/speech.js')).speech,
  },
  {
    name: 'parse',
    summary: 'extract the text of a PDF, DOCX, PPTX, XLSX or text file',
    details: 'FILE of - is read from stdin. The text goes to stdout, with --json together with its count of tokens.',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    flags: [output, idempotencyKey],
    examples: ['farebox parse fare-table.pdf', 'farebox parse fare-table.pdf --json'],
    load: async () => (await import('./commands/parse.js')).parse,
  },
  {
    name: 'video',
    summary: 'generate a video, wait for it and download it',
    details: `PROMPT of - is read from stdin. The model follows from what is given: text to video, image to video, reference to video, or the upscaler for
--video. Media are URLs or files. The queue id is told on stderr; --resume goes on with it after a stop, on this machine without more.`,
    operands: [{ name: 'PROMPT', required: false }],
    flags: [
      output,
      text('model', 'MODEL', 'the video model; farebox models --type video lists them'),
      { ...text('duration', 'LENGTH', '5s, 10s and so on (default 5s)'), choices: valuesOf(queueVideo, 'VideoDuration') },
      text('max-usd', 'USD', 'queue nothing that costs more'),
      toggle('quote', 'print the price, and queue nothing'),
      toggle('consent', 'attest what the policy on faces asks for, without being asked'),
      text('resume', 'QUEUE_ID', 'go on with a video that is queued'),
      { ...text('aspect-ratio', 'RATIO', '16:9, 9:16 and so on'), choices: valuesOf(queueVideo, 'VideoAspectRatio') },
      { ...text('resolution', 'SIZE', '720p, 1080p and so on'), choices: valuesOf(queueVideo, 'VideoResolution') },
      text('negative-prompt', 'TEXT', 'what to leave out'),
      toggle('no-audio', 'make no sound'),
      media('image', 'the image to start from'),
      media('end-image', 'the image to end with'),
      media('video', 'the video to work on'),
      media('audio', 'background music'),
      text('upscale-factor', 'FACTOR', '1, 2 or 4, for upscale models'),
      { ...media('reference-image', 'an image to follow; may be given again'), many: true },
      { ...media('reference-video', 'a clip to follow; may be given again'), many: true },
      { ...media('reference-audio', 'a sound to follow; may be given again'), many: true },
      text('poll', 'SECONDS', 'how long to wait between two questions (default 5)'),
      idempotencyKey,
    ],
    examples: [
      'farebox video "A tram in the rain" --duration 5s --max-usd 2 -o tram.mp4',
      'farebox video "It drives on" --image tram.png --consent -o tram.mp4',
      'farebox video --resume QUEUE_ID -o tram.mp4',
    ],
    load: async () => (await import('./commands/video.js')).video,
  },
  {
    name: 'voices',
    summary: 'list voices',
    operands: [],
    flags: [{ ...text('model', 'MODEL', 'of this model alone'), choices: valuesOf(createSpeech, 'SpeechModel') }],
    examples: ['farebox voices --model tts-kokoro'],
    load: async () => (await import('./commands/voices.js')).voices,
  },
  {
    name: 'voices create',
    summary: 'clone a voice from a recording',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    flags: [text('model', 'MODEL', 'that is to speak with it (default tts-chatterbox-hd)'), idempotencyKey],
    examples: ['farebox voices create sample.wav'],
    load: async () => (await import('./commands/voices.js')).voicesCreate,
  },
  {
    name: 'models',
    summary: 'list models and prices',
    operands: [{ name: 'MODEL', required: false }],
    flags: [{ ...text('type', 'TYPE', 'tts, video, text and so on (default all)'), choices: valuesOf(listModels, 'ModelFilter') }],
    examples: ['farebox models --type video', 'farebox models tts-kokoro'],
    load: async () => (await import('./commands/models.js')).models,
  },
  {
    name: 'balance',
    summary: 'show the balance',
    operands: [],
    flags: [],
    examples: ['farebox balance', 'farebox balance --as key --json'],
    load: async () => (await import('./commands/balance.js')).balance,
  },
  {
    name: 'top-up',
    summary: 'buy credit for the wallet',
    details: 'Signs one payment in USDC for exactly this amount. When its outcome is not known, read the balance before you buy again.',
    operands: [{ name: 'USD', required: true }],
    flags: [],
    examples: ['farebox top-up 10'],
    load: async () => (await import('./commands/top-up.js')).topUp,
  },
  {
    name: 'transactions',
    summary: "list the wallet's ledger, newest first",
    operands: [],
    flags: [
      toggle('all', 'every page'),
      text('limit', 'COUNT', 'entries of a page, 1 to 100 (default 50)'),
      text('offset', 'COUNT', 'entries to pass over (default 0)'),
    ],
    examples: ['farebox transactions', 'farebox transactions --all --json'],
    load: async () => (await import('./commands/transactions.js')).transactions,
  },
  {
    name: 'keys create',
    summary: 'create an API key and print it once',
    details: 'Needs an ADMIN key. With -o the key goes to a file that only you can read, and not to the screen.',
    operands: [],
    flags: [
      output,
      { ...text('type', 'TYPE', 'INFERENCE or ADMIN (default INFERENCE)'), choices: valuesOf(createApiKey, 'ApiKeyType') },
      text('description', 'TEXT', 'what it is for, at most 64 characters'),
      text('limit-usd', 'USD', 'the most that it may consume'),
      text('limit-diem', 'DIEM', 'the most daily credit that it may consume'),
      {
        ...text('period', 'PERIOD', 'of the limits: EPOCH (a UTC day), MONTH or LIFETIME'),
        choices: valuesOf(createApiKey, 'LimitPeriod'),
      },
      text('expires', 'TIME', 'when it ends, such as 2027-01-01T00:00:00Z (default never)'),
      idempotencyKey,
    ],
    examples: ['farebox keys create --description "night bus" --limit-usd 5 --period MONTH -o night-bus.key'],
    load: async () => (await import('./commands/keys-create.js')).keysCreate,
  },
  {
    name: 'limits',
    summary: 'show the rate limits of the API key',
    operands: [],
    flags: [toggle('log', 'when limits were last reached')],
    examples: ['farebox limits', 'farebox limits --log --json'],
    load: async () => (await import('./commands/limits.js')).limits,
  },
  {
    name: 'verify',
    summary: 'check a service against the contract',
    details: `Without more it costs nothing: wallets are made up for the run. --spend lets it buy a few texts, words and the cheapest video; --top-up pays
with your wallet, or with a made-up one, which a service that settles nothing takes. Keeps below the limits of the service. Exit code 1: a check failed.`,
    operands: [],
    flags: [
      text('spend', 'USD', 'run what costs something too, for so much at most'),
      text('top-up', 'USD', 'buy credit for the wallet first (5 or more), and spend of it'),
    ],
    examples: [
      'farebox verify --base-url http://127.0.0.1:4020/api/v1 --top-up 5',
      'farebox verify --base-url https://api.example.com/api/v1 --spend 0.10 --json > report.json',
    ],
    load: async () => (await import('./commands/verify.js')).verify,
  },
  {
    name: 'mcp',
    summary: 'serve the operations to an AI model, as MCP tools over stdio',
    details: `What a call costs is known and set aside before it is sent; beyond a cap nothing is sent. Tools whose credential is not set are not offered, and
createApiKey only where --tools names it, as the key would stand in the conversation.`,
    operands: [],
    flags: [
      text('max-usd-per-call', 'USD', 'the most that one call may cost (default 1)'),
      text('max-usd', 'USD', 'the most that all calls may cost together, top-ups too (default 5)'),
      toggle('read-only', 'offer what only reads'),
      {
        name: 'folder',
        kind: 'text',
        value: 'FOLDER',
        help: 'the folder of files (default: files are part of the conversation)',
        completes: 'folder',
      },
      text('tools', 'NAMES', 'offer these alone, such as createSpeech,parseText'),
      toggle('consent', 'let the model attest consent to faces in your name'),
    ],
    examples: ['farebox mcp --folder ./media --max-usd 2', 'farebox mcp --read-only'],
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'serve',
    summary: 'start a local service',
    details: 'Hands everything to the command of @farebox/service.',
    operands: [],
    flags: [],
    passes: true,
    examples: ['farebox serve --port 4020 --data ./farebox-data'],
    load: async () => (await import('./commands/serve.js')).serve,
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    operands: [{ name: 'SHELL', required: true, choices: ['bash', 'zsh', 'fish'] }],
    flags: [],
    examples: ['source <(farebox completion bash)', 'farebox completion fish | source'],
    load: async () => (await import('./commands/completion.js')).completion,
  },
]

function text(name: string, value: string, help: string): Flag {
  return { name, kind: 'text', value, help }
}

function toggle(name: string, help: string): Flag {
  return { name, kind: 'switch', help }
}

function media(name: string, help: string): Flag {
  return { name, kind: 'text', value: 'MEDIA', help, completes: 'file' }
}

/** The values that the contract allows for a named schema. */
function valuesOf({ inputSchema }: Tool, name: string): readonly string[] {
  const definitions = inputSchema['$defs'] as Readonly<Record<string, { readonly enum?: readonly unknown[] }>> | undefined
  return (definitions?.[name]?.enum ?? []).filter((value) => typeof value === 'string')
}
