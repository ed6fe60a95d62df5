// Moves the date of a Node process and of every Node process that it starts: `node --require` this
// file, with DAYS_AHEAD in the environment. Timers and `performance.now()` keep their pace, and the
// embedded database follows, since it asks JavaScript for the time. PostgreSQL does not.
'use strict'
const childProcess = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const { syncBuiltinESMExports } = require('node:module')

const days = Number(process.env['DAYS_AHEAD'] ?? 0)
const shiftMs = days * 86_400_000
const realNow = Date.now
// A copy of the tree brings its own copy of this file, and the date is moved once. What starts a
// browser reads how far.
const applied = Symbol.for('farebox.shift-date')
if (shiftMs !== 0 && !(applied in globalThis)) {
  globalThis[applied] = shiftMs
  shiftDate()
  shiftHttpDate()
  shiftFileTimes()
  followChildren()
  syncBuiltinESMExports()
}

function shiftDate() {
  const RealDate = Date
  RealDate.now = () => realNow() + shiftMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
    apply: (target) => new target(target.now()).toString(),
  })
  RealDate.prototype.constructor = globalThis.Date
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs })
}

/** Node takes the header `date` from a clock of its own. */
function shiftHttpDate() {
  const withDate = (original) =>
    function (...given) {
      if (this.sendDate && !this.hasHeader('date')) this.setHeader('date', new Date().toUTCString())
      return original.apply(this, given)
    }
  wrap(http.ServerResponse.prototype, 'writeHead', withDate)
}

/** A file that was just written has the time of now, and a time that is set is read again. */
function shiftFileTimes() {
  const shifted = (stats) => {
    if (stats === undefined) return stats
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
      if (typeof stats[`${name}Ms`] === 'bigint') {
        stats[`${name}Ms`] += BigInt(shiftMs)
        stats[`${name}Ns`] += BigInt(shiftMs) * 1_000_000n
      } else stats[`${name}Ms`] += shiftMs
      stats[name] = new Date(Number(stats[`${name}Ms`]))
    }
    return stats
  }
  const real = (time) =>
    time instanceof Date ? new Date(time.getTime() - shiftMs) : Number(time) - shiftMs / 1000
  const stat = ['stat', 'lstat', 'fstat']
  const utimes = ['utimes', 'lutimes', 'futimes']
  for (const name of stat) {
    wrap(
      fs,
      `${name}Sync`,
      (original) =>
        (...given) =>
          shifted(original(...given)),
    )
    wrap(fs, name, (original) => (...given) => {
      const done = given.pop()
      original(...given, (error, stats) => done(error, shifted(stats)))
    })
    wrap(
      fs.promises,
      name,
      (original) =>
        async (...given) =>
          shifted(await original(...given)),
    )
  }
  for (const name of utimes) {
    const earlier =
      (original) =>
      (file, atime, mtime, ...rest) =>
        original(file, real(atime), real(mtime), ...rest)
    for (const owner of [fs, fs.promises]) wrap(owner, name, earlier)
    wrap(fs, `${name}Sync`, earlier)
  }
}

/** A child is moved as far, also one that is given an environment of its own. */
function followChildren() {
  const inherited = {
    DAYS_AHEAD: String(days),
    NODE_OPTIONS: [process.env['NODE_OPTIONS'], `--require=${JSON.stringify(__filename)}`].find(
      (text) => text?.includes(__filename),
    ),
  }
  const moved = (options) =>
    options?.env === undefined ? options : { ...options, env: { ...inherited, ...options.env } }
  wrap(
    childProcess.ChildProcess.prototype,
    'spawn',
    (original) =>
      function (options) {
        const names = new Set(options.envPairs?.map((pair) => pair.slice(0, pair.indexOf('='))))
        const missing = Object.entries(inherited).filter(([name]) => !names.has(name))
        return original.call(this, {
          ...options,
          envPairs: [...(options.envPairs ?? []), ...missing.map((pair) => pair.join('='))],
        })
      },
  )
  for (const name of ['spawnSync', 'execFileSync', 'execSync'])
    wrap(
      childProcess,
      name,
      (original) =>
        (...given) =>
          original(...given.map((one) => (isOptions(one) ? moved(one) : one))),
    )
}

function isOptions(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrap(owner, name, wrapped) {
  const original = owner[name]
  if (original === undefined) return
  owner[name] = Object.defineProperties(
    wrapped(original),
    Object.getOwnPropertyDescriptors(original),
  )
}
