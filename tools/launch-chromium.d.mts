import type { Browser } from 'playwright-core'

/**
 * A headless Chromium out of npm, with the libraries that a bare Linux lacks: nothing is installed on the machine. On another platform
 * CHROMIUM_BIN names a browser that is there.
 */
export function launchChromium(): Promise<Browser>
