curl -sS "$FAREBOX_BASE_URL/augment/text-parser" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -F file=@fare-table.pdf -F response_format=json
