// The limit as a process of its own. Compiled and started by the serving benchmark; its argument is a JSON file with
// the plan.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { limitServer } from './limit.ts';

const server = limitServer(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
server.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
