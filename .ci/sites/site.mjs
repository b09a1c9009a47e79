// A website of Node's https for .ci/servers.
//
//   node site.mjs CERTIFICATE KEY VERSION
//
// It speaks this version of TLS ("1.2" or "1.3") and no other, and prints where it listens.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const page = '{"name": "Ada", "balance": 5120}';
const type = { "Content-Type": "application/json" };

const answers = {
  "/page.json": (response) => {
    response.writeHead(200, { ...type, "Content-Length": page.length });
    response.end(page);
  },
  "/chunked": (response) => {
    response.writeHead(200, type);
    response.write(page.slice(0, 16));
    response.end(page.slice(16));
  },
  "/trailers": (response) => {
    response.writeHead(200, { ...type, Trailer: "Page-Checksum" });
    response.write(page.slice(0, 16));
    response.addTrailers({ "Page-Checksum": "5f0c" });
    response.end(page.slice(16));
  },
};

const [certificate, key, version] = process.argv.slice(2);
const versions = { minVersion: `TLSv${version}`, maxVersion: `TLSv${version}` };
const files = { cert: readFileSync(certificate), key: readFileSync(key) };
const server = createServer({ ...files, ...versions }, (request, response) => {
  const answer = answers[request.url];
  if (answer) answer(response);
  else response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log(`listening at 127.0.0.1:${server.address().port}`));
