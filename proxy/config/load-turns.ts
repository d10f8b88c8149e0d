// Turns of worker processes at parsing the metadata of releases: one process at a time, so that a new release slows down
// one of them and not the whole service. The primary process gives turns in the order in which they are requested.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { TakeTurn } from '../releases/turns.ts';
import { processTurns } from '../releases/turns.ts';

const REQUEST = 'boundaries:request-turn';
const BEGIN = 'boundaries:begin-turn';
const END = 'boundaries:end-turn';
/** A turn ends after this time, for a worker that is stopped or overloaded. */
const TURN_MAX_MS = 10_000;

type MessageType = typeof REQUEST | typeof BEGIN | typeof END;

/** Gives turns to the workers. Call it once, in the primary process. */
export function giveTurns(): void {
  const waiting: Worker[] = [];
  let turn: { worker: Worker; deadline: NodeJS.Timeout } | undefined;
  const giveNext = (): void => {
    const worker = waiting.shift();
    if (worker === undefined) return;
    turn = { worker, deadline: setTimeout(end, TURN_MAX_MS, worker).unref() };
    if (worker.isConnected()) worker.send({ type: BEGIN });
    else end(worker);
  };
  const end = (worker: Worker): void => {
    if (turn?.worker !== worker) return;
    clearTimeout(turn.deadline);
    turn = undefined;
    giveNext();
  };
  cluster.on('message', (worker, message: unknown) => {
    if (isMessage(message, REQUEST)) {
      waiting.push(worker);
      if (turn === undefined) giveNext();
    } else if (isMessage(message, END)) {
      end(worker);
    }
  });
  cluster.on('exit', (worker) => {
    for (let at = waiting.indexOf(worker); at !== -1; at = waiting.indexOf(worker)) waiting.splice(at, 1);
    end(worker);
  });
}

/** The turns of this process: those that the primary process gives, in a worker. Call it once. */
export function loadTurns(): TakeTurn {
  const ownTurns = processTurns();
  if (!cluster.isWorker) return ownTurns;
  return (work) =>
    ownTurns(async () => {
      const begun = new Promise<void>((resolve) => {
        const onMessage = (message: unknown): void => {
          if (!isMessage(message, BEGIN)) return;
          process.off('message', onMessage);
          resolve();
        };
        process.on('message', onMessage);
      });
      process.send?.({ type: REQUEST });
      await begun;
      return work().finally(() => process.send?.({ type: END }));
    });
}

function isMessage(value: unknown, type: MessageType): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
