// Run by load-turns.test.ts in a process of its own: three worker processes take turns and write what they do into a
// file. The first turn of one worker ends with its process.
import cluster from 'node:cluster';
import { appendFileSync } from 'node:fs';
import { giveTurns, loadTurns } from '../../../proxy/config/load-turns.ts';

const WORKERS = 3;
const READY = 'ready';
const [file = ''] = process.argv.slice(2);

async function takeTurns(): Promise<void> {
  const takeTurn = loadTurns();
  const doomed = process.env['DOOMED'] !== undefined;
  const turn = async (): Promise<void> => {
    appendFileSync(file, `begin ${process.pid}\n`);
    // The other workers have time to do the same, if they do not wait for their turn.
    for (let i = 0; i < 10_000; i++) await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(file, `end ${process.pid}\n`);
    if (doomed) process.exit();
  };
  await Promise.all([takeTurn(turn), takeTurn(turn)]);
  process.exit();
}

if (cluster.isPrimary) {
  giveTurns();
  const workers = Array.from({ length: WORKERS }, (_, i) => cluster.fork(i === 0 ? { DOOMED: '1' } : {}));
  let ready = 0;
  let ended = 0;
  cluster.on('message', (_worker, message) => {
    if (message !== READY || ++ready < WORKERS) return;
    for (const worker of workers) worker.send(READY);
  });
  for (const worker of workers)
    worker.once('exit', () => {
      ended++;
      if (ended === WORKERS) process.exit();
    });
} else {
  // All begin at the same time.
  await new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === READY) resolve();
    });
    process.send?.(READY);
  });
  await takeTurns();
}
