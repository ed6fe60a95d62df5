let serial = 0

/** The address of a network that no other request came from, so that it meets no limit. */
export function createAddress(): string {
  return `10.3.${Math.floor(++serial / 250) % 250}.${serial % 250}`
}
