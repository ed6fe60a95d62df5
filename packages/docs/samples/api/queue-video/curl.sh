curl -sS "$FAREBOX_BASE_URL/video/queue" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen 2>/dev/null || date +%s%N)" \
  -d '{"model": "local-test-clip", "prompt": "A quiet harbour at dawn", "duration": "2s"}'
