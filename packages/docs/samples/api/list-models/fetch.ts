const response = await fetch(`${process.env.FAREBOX_BASE_URL}/models?type=tts`)
const { data } = (await response.json()) as { data: { id: string }[] }
console.log(data.map(({ id }) => id).join('\n'))
