curl -sS "$FAREBOX_BASE_URL/audio/speech" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"input": "Two tickets to the harbour, please.", "response_format": "wav"}' \
  -o tickets.wav -w '%{http_code} %{content_type}\n'
