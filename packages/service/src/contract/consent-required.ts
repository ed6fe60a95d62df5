import type { Medium } from '../domain/video/video-backend.js'

const policyText = `The media of this request may show human faces. By sending the request again with consents.seedance you confirm that you
agree to the terms and the privacy policy of this service, that you have the legal right to use these faces, with the consent of the people
shown where it is needed, and that you know that the media are screened before a video is made of them.`.replaceAll('\n', ' ')

/**
 * 409 with the media that show faces and the policy to accept (interface specification, POST
 * /video/queue, rule 2).
 */
export function consentRequired(roles: readonly Medium['role'][], origin: string) {
  return {
    status: 409 as const,
    json: {
      error: {
        code: 'needs_consent' as const,
        message: 'The media may show human faces. Read consent.policy_text and send the request again with consents.seedance.',
      },
      consent_flow: 'seedance',
      face_media_roles: [...roles],
      consent: { consent_version: '2026-01', policy_text: policyText },
      docs_url: `${origin}/`,
    },
  }
}
