# KEY_ID is the id of the key
curl -sS "$FAREBOX_BASE_URL/api_keys/$KEY_ID" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" -X DELETE
