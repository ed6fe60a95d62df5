curl -sS "$FAREBOX_BASE_URL/chat/completions" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"model": "local-test-chat", "messages": [{"role": "user", "content": "Where is the harbour?"}]}'
