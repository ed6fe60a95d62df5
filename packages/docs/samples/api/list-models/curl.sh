curl -sS "$FAREBOX_BASE_URL/models?type=tts"
