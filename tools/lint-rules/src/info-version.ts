import { found } from './rule.js'
import type { Rule } from './rule.js'

const form = /^(\d{4})(\d\d)(\d\d)\.(\d\d)(\d\d)(\d\d)$/

/** The version is a quoted text, YYYYMMDD.HHMMSS: unquoted it would be a number. */
export const infoVersion: Rule = () => ({
  Info(info, { location, report }) {
    const version = info['version']
    if (typeof version === 'string' && isMoment(version)) return
    const message = `${found('version', version)}: expected a moment as YYYYMMDD.HHMMSS, in quotes.`
    report({ message, location: location.child('version') })
  },
})

function isMoment(version: string): boolean {
  const [, year, month, day, hour, minute, second] = form.exec(version) ?? []
  if (year === undefined) return false
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const moment = new Date(text)
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}
