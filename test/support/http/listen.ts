// Servers of tests: each listens on a free port of the loopback until its test file ends.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from '../after.ts';

/** Makes a server listen on a free port of the loopback until the test file ends; the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
