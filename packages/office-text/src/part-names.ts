/**
 * The form in which two names of the same part are equal (ECMA-376 part 2, 6.2.2.3): without
 * regard to ASCII case and percent-encoding. Backslashes, which some writers use against APPNOTE
 * 4.4.17, count as slashes.
 */
export function normalizePartName(name: string): string {
  return resolveSteps(decodePercent(name.replaceAll('\\', '/'))).replaceAll(/[A-Z]+/g, (letters) =>
    letters.toLowerCase(),
  )
}

/** The name of the part at `target`, as a relationship of a part in `folder` states it. */
export function resolvePartName(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/').replace(/[#?].*$/s, '')
  return resolveSteps(path.startsWith('/') ? path : `${folder}${path}`)
}

function resolveSteps(path: string): string {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** A sequence that is not UTF-8 stays as it is. */
function decodePercent(name: string): string {
  return name.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence)
    } catch {
      return sequence
    }
  })
}
