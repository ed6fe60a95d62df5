origin=${FAREBOX_BASE_URL%/api/v1}
curl -s "$origin/readyz" && echo
curl -s -H "Authorization: Bearer $FAREBOX_API_KEY" "$origin/metrics" | grep -E '^farebox_(crashes|charges)_total'
curl -s -o /dev/null -D - "$FAREBOX_BASE_URL/models" | grep -i '^x-ratelimit-.*requests'
