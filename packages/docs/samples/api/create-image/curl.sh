curl -sS "$FAREBOX_BASE_URL/images/generations" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"prompt": "A paper ticket", "size": "256x256", "response_format": "url"}'
