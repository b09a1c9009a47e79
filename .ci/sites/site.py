"""A website of Python's http.server for .ci/servers.

    python3 site.py CERTIFICATE KEY VERSION PROTOCOLS [HTTP]

It speaks this version of TLS ("1.2" or "1.3") and no other, and prints where it listens. PROTOCOLS is
"http/1.1", or "none" for a server that names no protocol (ALPN), as http.server's documentation makes it. HTTP is
what it answers in: HTTP/1.0, as http.server does by itself, or HTTP/1.1.
"""

import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b'{"name": "Ada", "balance": 5120}'


class Page(BaseHTTPRequestHandler):
    """Answers to GET."""

    def do_GET(self):
        """Each path has its own way to say where the page ends."""
        if self.path not in ("/page.json", "/open", "/keep"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if self.path != "/open":
            self.send_header("Content-Length", str(len(PAGE)))
        if self.path == "/keep":
            self.send_header("Connection", "keep-alive")
        self.end_headers()
        self.wfile.write(PAGE)
        # Whatever the head says.
        self.close_connection = True

    def log_message(self, *_):
        """No log."""


def main():
    """Serves until it is stopped."""
    certificate, key, version, protocols, *http = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.minimum_version = context.maximum_version = {
        "1.2": ssl.TLSVersion.TLSv1_2,
        "1.3": ssl.TLSVersion.TLSv1_3,
    }[version]
    if protocols != "none":
        context.set_alpn_protocols([protocols])
    if http:
        Page.protocol_version = http[0]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(f"listening at 127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


main()
