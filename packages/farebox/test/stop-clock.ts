import { vi } from 'vitest'

/**
 * Stops the clock once the code that the SDK loads later is loaded. A test that moves the clock by
 * hand must not depend on how long a machine takes to load it.
 */
export async function stopClock(options?: Parameters<typeof vi.useFakeTimers>[0]): Promise<void> {
  await Promise.all([
    import('../src/forms.js'),
    import('../src/wallet.js'),
    import('../src/video.js'),
  ])
  vi.useFakeTimers(options)
}
