// The control of the serving benchmark: a bare Node server that sends bodies from memory, one size after another,
// whatever is asked. Its arguments are a JSON file with the sizes in bytes, and the coding to declare.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [file = '', coding = ''] = process.argv.slice(2);
const sizes: readonly number[] = JSON.parse(readFileSync(file, 'utf8'));
const answers = sizes.map((bytes) => ({
  headers: {
    'Content-Type': 'application/geo+json',
    'Content-Length': bytes,
    ...(coding === 'gzip' && { 'Content-Encoding': coding }),
  },
  body: Buffer.alloc(bytes, 'x'),
}));
let asked = 0;
const server = createServer((_, res) => {
  const answer = answers[asked++ % answers.length];
  res.writeHead(200, answer?.headers);
  res.end(answer?.body);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
