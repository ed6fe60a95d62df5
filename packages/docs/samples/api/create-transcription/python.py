import json
import os
import urllib.request
import uuid

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
boundary = uuid.uuid4().hex
with open("voice.wav", "rb") as file:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nlocal-test-transcription\r\n'.encode(),
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="voice.wav"\r\n\r\n'.encode(),
        file.read(),
        f"\r\n--{boundary}--\r\n".encode(),
    ]
headers = {"Authorization": f"Bearer {key}", "Content-Type": f"multipart/form-data; boundary={boundary}"}

request = urllib.request.Request(f"{base_url}/audio/transcriptions", b"".join(parts), headers)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))
