farebox keys create --description "night bus" --limit-usd 5 --period MONTH -o night-bus.key
FAREBOX_API_KEY=$(cat night-bus.key) farebox limits
farebox voices --model tts-kokoro
