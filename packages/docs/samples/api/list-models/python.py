import json
import os
import urllib.request

base_url = os.environ["FAREBOX_BASE_URL"]
with urllib.request.urlopen(f"{base_url}/models?type=tts") as response:
    for model in json.load(response)["data"]:
        print(model["id"])
