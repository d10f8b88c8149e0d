// The control of the serving benchmark: a bare Node server that sends one body from memory, whatever is asked.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file = ''] = process.argv.slice(2);
const body = readFileSync(file);
const headers = { 'Content-Type': 'application/geo+json', 'Content-Encoding': 'gzip', 'Content-Length': body.length };
const server = createServer((_, res) => {
  res.writeHead(200, headers);
  res.end(body);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
