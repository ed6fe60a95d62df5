# KEY_ID is the id of the key
curl -sS "$FAREBOX_BASE_URL/api_keys/$KEY_ID/rotate" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' -d '{"graceSeconds": 3600}'
