/**
 * The time that work on this machine may take, in milliseconds: `ms`, times FAREBOX_TIMEOUT_SCALE.
 * For a machine that is slow or shared. A limit that an option states is not scaled.
 */
export function timeLimit(ms: number): number {
  const scale = Number(process.env['FAREBOX_TIMEOUT_SCALE'] ?? 1)
  if (scale > 0 && Number.isFinite(scale)) return ms * scale
  throw new RangeError(
    `FAREBOX_TIMEOUT_SCALE is ${JSON.stringify(process.env['FAREBOX_TIMEOUT_SCALE'])}; expected a number above 0, such as 5.`,
  )
}
