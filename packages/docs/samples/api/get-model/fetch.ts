const response = await fetch(`${process.env.FAREBOX_BASE_URL}/models/tts-kokoro`)
console.log(response.status, await response.json())
