import { type Command, idempotencyKey, output, text, yes, type Flag, toggle } from './command.js'

const model = (kind: string, type: string) =>
  text(
    'model',
    'MODEL',
    `the ${kind} model (default: the first that farebox models --type ${type} lists)`,
  )

/** The commands that ask models for text, vectors, images and transcripts. */
export const inferenceCommands: readonly Command[] = [
  {
    name: 'chat',
    summary: 'ask a text model, and print its response as it arrives',
    details:
      'If PROMPT is -, it is read from stdin. With --json the whole completion is printed, with its usage.',
    operands: [{ name: 'PROMPT', required: true }],
    fields: ['messages.0.content'],
    flags: [
      model('text', 'text'),
      text('system', 'TEXT', 'instructions for the model'),
      {
        ...text('max-tokens', 'COUNT', 'the maximum length of the response, in tokens'),
        field: 'max_completion_tokens',
      },
      text('temperature', 'NUMBER', '0 to 2'),
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox chat "Name three night buses"',
      'farebox chat - --system "Summarize in one sentence." < report.txt',
      'farebox chat "Hello" --json --select choices.message.content',
    ],
    load: async () => (await import('./commands/chat.js')).chat,
  },
  {
    name: 'embed',
    summary: 'turn text into vectors',
    details:
      'If TEXT is -, it is read from stdin. Each vector is one line of JSON. With --json each has its index.',
    operands: [{ name: 'TEXT', required: true, many: true }],
    fields: ['input'],
    flags: [
      model('embedding', 'embedding'),
      text('dimensions', 'COUNT', 'the length of the vectors, for models that accept it'),
      yes,
      idempotencyKey,
    ],
    examples: ['farebox embed "night bus" "day ticket" > vectors.jsonl'],
    load: async () => (await import('./commands/chat.js')).embed,
  },
  {
    name: 'image',
    summary: 'generate an image',
    details:
      'If PROMPT is -, it is read from stdin. The name of the output file decides the format: .png, .jpg or .webp. The default is png.',
    operands: [{ name: 'PROMPT', required: true }],
    fields: ['prompt'],
    flags: [
      output,
      model('image', 'image'),
      text('size', 'SIZE', 'such as 1024x1024, as the model allows'),
      { ...text('quality', 'QUALITY', 'low, medium or high, as the model allows') },
      yes,
      idempotencyKey,
    ],
    examples: ['farebox image "A tram in the rain" -o tram.png'],
    load: async () => (await import('./commands/image.js')).image,
  },
  {
    name: 'transcribe',
    summary: 'transcribe a recording',
    details:
      'Takes MP3, WAV, FLAC, M4A, OGG and WebM of at most 25 MB. If FILE is -, it is read from stdin. With --json the result has timestamps.',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    fields: ['file'],
    flags: [
      output,
      model('transcription', 'asr'),
      {
        ...text('format', 'FORMAT', 'text, srt or vtt (default text)'),
        field: 'response_format',
        choices: ['text', 'srt', 'vtt'],
      },
      text('language', 'LANGUAGE', 'the language, such as en (default: the model detects it)'),
      text('prompt', 'TEXT', 'words that the model should expect'),
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox transcribe meeting.mp3 > meeting.txt',
      'farebox transcribe film.m4a --format srt -o film.srt',
    ],
    load: async () => (await import('./commands/transcribe.js')).transcribe,
  },
]

/** The commands that create and read media, and what they can be made with. */
export const mediaCommands: readonly Command[] = [
  {
    name: 'speech',
    summary: 'create speech from text',
    details:
      'If TEXT is -, it is read from stdin. The name of the output file decides the format, such as hello.wav. The default is mp3.',
    operands: [{ name: 'TEXT', required: true }],
    fields: ['input'],
    flags: [
      output,
      {
        name: 'model',
        kind: 'text',
        value: 'MODEL',
        help: 'the speech model (default tts-kokoro)',
        schema: ['createSpeech', 'SpeechModel'],
      },
      {
        name: 'voice',
        kind: 'text',
        value: 'VOICE',
        help: "a voice of the model, or a cloned one (default: the model's own)",
      },
      {
        name: 'format',
        kind: 'text',
        value: 'FORMAT',
        help: 'mp3, opus, aac, flac, wav or pcm',
        field: 'response_format',
        schema: ['createSpeech', 'SpeechFormat'],
      },
      { name: 'speed', kind: 'text', value: 'FACTOR', help: '0.25 to 4 (default 1)' },
      {
        name: 'language',
        kind: 'text',
        value: 'LANGUAGE',
        help: 'the language of the text (default: the model detects it)',
      },
      {
        name: 'prompt',
        kind: 'text',
        value: 'TEXT',
        help: 'style and delivery, for models that accept it',
      },
      {
        name: 'temperature',
        kind: 'text',
        value: 'NUMBER',
        help: '0 to 2, for models that accept it',
      },
      { name: 'top-p', kind: 'text', value: 'NUMBER', help: '0 to 1, for models that accept it' },
      { ...toggle('stream', 'stream the audio sentence by sentence'), field: 'streaming' },
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox speech "Hello" -o hello.mp3',
      'farebox speech - --voice bm_george < story.txt | play -t mp3 -',
    ],
    load: async () => (await import('./commands/speech.js')).speech,
  },
  {
    name: 'parse',
    summary: 'extract the text of PDF, DOCX, PPTX, XLSX and text files',
    details: `If FILE is -, it is read from stdin. The text of one file goes to stdout; --json adds the number of tokens. The texts of several files go to
--out-dir, each as NAME.txt, or to stdout with --jsonl, one line for each. A file that fails does not stop the others. The exit code is then 1.`,
    operands: [{ name: 'FILE', required: true, many: true, completes: 'file' }],
    fields: ['file'],
    flags: [
      output,
      {
        ...text('out-dir', 'FOLDER', 'the folder for the texts, which is created if it is missing'),
        completes: 'folder',
      },
      text('concurrency', 'COUNT', 'how many files to send at a time (default 4)'),
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox parse fare-table.pdf > fares.txt',
      'farebox parse *.pdf --out-dir texts',
      'farebox parse *.pdf --jsonl > texts.jsonl',
    ],
    load: async () => (await import('./commands/parse.js')).parse,
  },
  {
    name: 'video',
    summary: 'generate a video, wait for it and download it',
    details: `If PROMPT is -, it is read from stdin. The options choose the model: a prompt makes a video from text, --image from an image,
--reference-image and the like from references, and --video upscales a video. Media are URLs or files. The queue id is printed on stderr. After an
interruption, --resume QUEUE_ID continues. Above 1 USD (confirmAboveUsd of the configuration) the command asks first, unless --max-usd allows the price.`,
    operands: [{ name: 'PROMPT', required: false }],
    fields: ['prompt'],
    flags: [
      output,
      text('model', 'MODEL', 'the video model; farebox models --type video lists them'),
      {
        ...text('duration', 'LENGTH', '5s, 10s and so on (default 5s)'),
        schema: ['queueVideo', 'VideoDuration'],
      },
      text(
        'max-usd',
        'USD',
        'do not queue a video that costs more, and do not ask if it costs less',
      ),
      toggle('quote', 'print the price, and queue nothing'),
      {
        ...toggle('consent', 'confirm what the policy on faces requires, without being asked'),
        field: 'consents',
      },
      toggle('no-wait', 'queue the video, print its id, and exit'),
      toggle('watch', 'wait for all videos that are queued on this machine, and download each'),
      {
        ...text(
          'out-dir',
          'FOLDER',
          'the folder for the videos of --watch (default: the current one)',
        ),
        completes: 'folder',
      },
      { ...text('resume', 'QUEUE_ID', 'continue with a queued video'), field: 'queue_id' },
      {
        ...text('aspect-ratio', 'RATIO', '16:9, 9:16 and so on'),
        schema: ['queueVideo', 'VideoAspectRatio'],
      },
      {
        ...text('resolution', 'SIZE', '720p, 1080p and so on'),
        schema: ['queueVideo', 'VideoResolution'],
      },
      text('negative-prompt', 'TEXT', 'what to leave out'),
      { ...toggle('no-audio', 'generate no sound'), field: 'audio' },
      media('image', 'the image to start from', 'image_url'),
      media('end-image', 'the image to end with', 'end_image_url'),
      media('video', 'the video to work on', 'video_url'),
      media('audio', 'background music', 'audio_url'),
      text('upscale-factor', 'FACTOR', '1, 2 or 4, for upscale models'),
      {
        ...media('reference-image', 'an image to follow; repeatable', 'reference_image_urls'),
        many: true,
      },
      {
        ...media('reference-video', 'a clip to follow; repeatable', 'reference_video_urls'),
        many: true,
      },
      {
        ...media('reference-audio', 'a sound to follow; repeatable', 'reference_audio_urls'),
        many: true,
      },
      text('poll', 'SECONDS', 'how often to ask whether the video is ready (default 5)'),
      {
        ...text('download-origin', 'ORIGIN', 'another origin to download from; repeatable'),
        field: 'downloadOrigins',
        many: true,
      },
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox video "A tram in the rain" --duration 5s --max-usd 2 -o tram.mp4',
      'farebox video "It drives on" --image tram.png --consent -o tram.mp4',
      'farebox video --resume QUEUE_ID -o tram.mp4',
      'farebox video "A tram" --no-wait --yes && farebox video --watch --out-dir videos',
    ],
    load: async () => (await import('./commands/video.js')).video,
  },
  {
    name: 'voices',
    summary: 'list voices',
    operands: [],
    flags: [
      {
        ...text('model', 'MODEL', 'only the voices of this model'),
        field: 'id',
        schema: ['createSpeech', 'SpeechModel'],
      },
    ],
    examples: ['farebox voices --model tts-kokoro'],
    load: async () => (await import('./commands/models.js')).voices,
  },
  {
    name: 'voices create',
    summary: 'clone a voice from a recording',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    fields: ['file'],
    flags: [
      text('model', 'MODEL', 'the model that will speak with it (default tts-chatterbox-hd)'),
      idempotencyKey,
    ],
    examples: ['farebox voices create sample.wav'],
    load: async () => (await import('./commands/models.js')).voicesCreate,
  },
  {
    name: 'models',
    summary: 'list models and prices',
    operands: [{ name: 'MODEL', required: false }],
    fields: ['id'],
    flags: [
      {
        ...text('type', 'TYPE', 'tts, video, text and so on (default all)'),
        schema: ['listModels', 'ModelFilter'],
      },
    ],
    examples: ['farebox models --type video', 'farebox models tts-kokoro'],
    load: async () => (await import('./commands/models.js')).models,
  },
]

function media(name: string, help: string, field: string): Flag {
  return { name, kind: 'text', value: 'MEDIA', help, field, completes: 'file' }
}
