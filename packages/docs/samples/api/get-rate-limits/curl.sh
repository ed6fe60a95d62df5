curl -sS "$FAREBOX_BASE_URL/api_keys/rate_limits" \
  -H "Authorization: Bearer $FAREBOX_API_KEY"
