// A host that accepts no connection: it listens, and its backlog is full. What connects to it gets no answer of any
// kind, as from a host behind a firewall that drops packets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { after } from '../after.ts';

/** Listens and then blocks its thread for good. */
const LISTENER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
/** Linux queues one connection more than the backlog. */
const QUEUED = 2;

/** Starts the host; it stops when the test file ends. Linux only. */
export async function startFullHost() {
  const worker = new Worker(LISTENER, { eval: true });
  const [port] = await once(worker, 'message');
  const open = () => connect(port, '127.0.0.1').on('error', () => {});
  const sockets = Array.from({ length: QUEUED }, open);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const further = open();
  after(async () => {
    for (const socket of [...sockets, further]) socket.destroy();
    await worker.terminate();
  });
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    assertFull: (): void => assert.ok(further.connecting, 'the host accepted a connection'),
  };
}
