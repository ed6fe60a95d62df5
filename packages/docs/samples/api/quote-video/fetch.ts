const response = await fetch(`${process.env.FAREBOX_BASE_URL}/video/quote`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'local-test-clip', duration: '5s', resolution: '720p' }),
})
console.log(response.status, await response.json()) // 200 { quote: 0.005 }
