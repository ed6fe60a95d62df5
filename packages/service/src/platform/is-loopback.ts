/** Whether the host of a URL, or an address to listen at, is this machine and no other. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)
}
