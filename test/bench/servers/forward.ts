// The control of the URL origin: bare http-proxy in front of a static host, keep-alive, nothing else.
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import httpProxy from 'http-proxy';

const [target = ''] = process.argv.slice(2);
const proxy = httpProxy.createProxyServer({ target, agent: new Agent({ keepAlive: true, maxSockets: 64 }) });
const server = createServer((req, res) => proxy.web(req, res));
server.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
