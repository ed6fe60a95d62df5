import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@farebox/testing/commands'
import { calling, install, sdk, type Outside } from './outside.js'
import { commonJsTest } from './sources.js'

/** Jest compiles our ES modules for tests in CommonJS, because the README's line says so. */
export async function inJest(outside: Outside): Promise<void> {
  await install(outside, [...sdk, 'jest@30.5.2', '@babel/preset-env@7.28.3'])
  const { folder } = outside
  const readme = readFileSync(join(folder, 'node_modules/farebox/README.md'), 'utf8')
  const pattern = /transformIgnorePatterns: \['(.+?)'\]/.exec(readme)?.[1]
  if (pattern === undefined)
    throw new Error('The README of farebox has no transformIgnorePatterns for Jest.')
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, jest: { transformIgnorePatterns: [pattern] } }),
  )
  // a "babel" in package.json would not apply to node_modules
  const presets = [['@babel/preset-env', { targets: { node: 'current' } }]]
  writeFileSync(join(folder, 'babel.config.json'), JSON.stringify({ presets }))
  writeFileSync(join(folder, 'main.test.js'), commonJsTest)
  await run(process.execPath, ['node_modules/jest/bin/jest.js', '--runInBand'], calling(outside))
}
