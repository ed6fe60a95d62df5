import { createFarebox } from 'farebox'

const face =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const farebox = createFarebox()
const video = await farebox.generateVideo(
  {
    model: 'seedance-2-0-image-to-video',
    prompt: 'She smiles',
    image_url: face,
    duration: '4s',
    resolution: '480p',
  },
  {
    pollMs: 250,
    onConsent: async ({ policyText, roles }) => {
      console.log('asked for consent:', policyText.length > 0, roles.join())
      return true // only when the person responsible has read the policy and agrees to all three points
    },
  },
)
console.log(video.status)
