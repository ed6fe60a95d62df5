curl -sS "$FAREBOX_BASE_URL/api_keys?state=active" \
  -H "Authorization: Bearer $FAREBOX_API_KEY"
