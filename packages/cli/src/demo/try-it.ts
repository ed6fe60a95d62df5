import type { LocalService } from './local-service.js'
import type { DemoWallet } from './tour.js'

/**
 * The page, and commands for another terminal. They call the very file that runs, whichever way it
 * was installed.
 */
export function tryIt({ origin, adminKey }: Pick<LocalService, 'origin' | 'adminKey'>, { privateKey }: DemoWallet, file: string): string {
  const baseUrl = `${origin}/api/v1`
  return `
  Live page: ${origin}/demo

  It shows each call that you send from another terminal (bash or zsh). With the wallet of the demo:

    export FAREBOX_BASE_URL=${baseUrl} FAREBOX_PRIVATE_KEY=${privateKey}
    farebox() { node '${file.replaceAll("'", "'\\''")}' "$@"; }
    farebox speech "Hello" -o hello.mp3
    farebox top-up 5

  With curl: the offers of a top-up, and speech for a key that has an account of its own:

    curl -i -X POST ${baseUrl}/x402/top-up
    curl -H "Authorization: Bearer ${adminKey}" -H "Content-Type: application/json" -d '{"input":"Hello"}' -o hello.mp3 ${baseUrl}/audio/speech

  Ctrl-C ends the demo.`
}
