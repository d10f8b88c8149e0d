// Ports for programs that cannot choose one themselves. Of servers in the test process the system chooses: port 0.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { after } from '../after.ts';
import { claim } from '../files.ts';

/** Below those that Linux gives to connections and to port 0 (ip_local_port_range): nobody takes one by chance. */
const [FIRST, LAST] = [20_000, 32_767];
/** Of all runs on this machine, whatever their temporary folders are. What a killed run leaves there is passed over. */
const LOCKS = '/tmp/boundaries-port-';

/** A free port, reserved until the test or the test file ends. */
export async function freePort(): Promise<number> {
  const count = LAST - FIRST + 1;
  const start = Math.floor(Math.random() * count);
  for (let i = 0; i < count; i++) {
    const port = FIRST + ((start + i) % count);
    const lock = `${LOCKS}${port}`;
    if (!claim(lock)) continue;
    after(() => rmSync(lock, { force: true }));
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${LAST} is free; of runs that were killed, ${LOCKS}* may be removed`);
}

/** Does nobody else listen there? */
function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
