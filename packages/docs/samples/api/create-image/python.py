import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"prompt": "A paper ticket", "size": "256x256", "response_format": "url"}

request = urllib.request.Request(f"{base_url}/images/generations", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response)["data"][0]["url"])
