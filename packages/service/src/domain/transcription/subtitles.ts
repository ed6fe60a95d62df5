import type { TranscriptSegment } from './transcription-backend.js'

/** Segments as SubRip. */
export function toSrt(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${toTime(start, ',')} --> ${toTime(end, ',')}\n${oneBlock(text)}\n`,
    )
    .join('\n')
}

/** Segments as WebVTT. */
export function toVtt(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(
    ({ start, end, text }) =>
      `${toTime(start, '.')} --> ${toTime(end, '.')}\n${escaped(oneBlock(text))}\n`,
  )
  return ['WEBVTT\n', ...cues].join('\n')
}

/** An empty line would end the cue. */
function oneBlock(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function toTime(seconds: number, point: string): string {
  const all = Math.round(seconds * 1000)
  const pad = (value: number, length = 2) => String(value).padStart(length, '0')
  const [hours, minutes] = [Math.floor(all / 3_600_000), Math.floor(all / 60_000) % 60]
  return `${pad(hours)}:${pad(minutes)}:${pad(Math.floor(all / 1000) % 60)}${point}${pad(all % 1000, 3)}`
}
