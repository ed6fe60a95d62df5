export { updateVersions, type VersionOptions } from './update-versions.js'
