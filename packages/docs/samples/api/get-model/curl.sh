curl -sS "$FAREBOX_BASE_URL/models/tts-kokoro"
