export FAREBOX_SPEECH_UPSTREAM_KEY=$(cat speech.key) FAREBOX_VIDEO_UPSTREAM_KEY=$(cat video.key)
farebox-service --speech-upstream https://speech.example/v1 --video-upstream https://video.example/api/v1 \
  --no-wallets
