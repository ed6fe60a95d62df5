curl -sS "$FAREBOX_BASE_URL/video/quote" \
  -H 'Content-Type: application/json' \
  -d '{"model": "local-test-clip", "duration": "5s", "resolution": "720p"}'
