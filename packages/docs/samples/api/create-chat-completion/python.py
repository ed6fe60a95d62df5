import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"model": "local-test-chat", "messages": [{"role": "user", "content": "Where is the harbour?"}]}

request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response)["choices"][0]["message"]["content"])
