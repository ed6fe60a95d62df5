import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}"}

request = urllib.request.Request(f"{base_url}/api_keys/{os.environ['KEY_ID']}", headers=headers)
with urllib.request.urlopen(request) as response:
    data = json.load(response)["data"]
print(data["state"], data["consumed"]["usd"])
