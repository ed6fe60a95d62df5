import base64
import email.message
import io
import json
import urllib.request
import urllib.response

import node_http


class NodeHandler(urllib.request.HTTPHandler):
    def http_open(self, request):
        body = None if request.data is None else base64.b64encode(request.data).decode()
        asked = {"method": request.get_method(), "url": request.full_url, "headers": dict(request.header_items()), "body": body}
        answer = json.loads(node_http.send(json.dumps(asked)))
        headers = email.message.Message()
        for name, value in answer["headers"]:
            headers[name] = value
        content = io.BytesIO(base64.b64decode(answer["body"]))
        response = urllib.response.addinfourl(content, headers, request.full_url, answer["status"])
        response.msg = answer["statusText"]
        return response


urllib.request.install_opener(urllib.request.build_opener(NodeHandler))
