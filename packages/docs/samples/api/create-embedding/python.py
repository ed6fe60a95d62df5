import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"model": "local-test-embedding", "input": "Tickets to the lake"}

request = urllib.request.Request(f"{base_url}/embeddings", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    print(response.status, len(json.load(response)["data"][0]["embedding"]))
