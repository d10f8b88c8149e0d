// Counts the requests of clients across worker processes: the primary process counts, the workers ask it.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { Admission, ClientCounter } from './client-limits.ts';

const ENTER = 'boundaries:enter';
const LEAVE = 'boundaries:leave';
const ADMISSION = 'boundaries:admission';

/** A worker's client begins a request. */
interface EnterMessage {
  type: typeof ENTER;
  /** Of the request, for the reply. */
  number: number;
  client: string;
}

/** A worker's client has ended a request. */
interface LeaveMessage {
  type: typeof LEAVE;
  client: string;
}

/** The reply to an EnterMessage. */
interface AdmissionMessage {
  type: typeof ADMISSION;
  number: number;
  admission: Admission;
}

/** Lets the primary process count for all workers, with this counter. Call it once, in the primary process. */
export function countForWorkers(counter: ClientCounter): void {
  const running = new Map<Worker, string[]>();
  cluster.on('message', (worker, message: unknown) => {
    if (isMessage<EnterMessage>(message, ENTER)) void enter(worker, message);
    else if (isMessage<LeaveMessage>(message, LEAVE)) {
      const clients = running.get(worker) ?? [];
      const at = clients.lastIndexOf(message.client);
      if (at === -1) return;
      clients.splice(at, 1);
      counter.leave(message.client);
    }
  });
  cluster.on('exit', (worker) => {
    for (const client of running.get(worker) ?? []) counter.leave(client);
    running.delete(worker);
  });
  const enter = async (worker: Worker, { number, client }: EnterMessage): Promise<void> => {
    const admission = await counter.enter(client);
    if (admission.exceeded === undefined) {
      if (worker.isDead()) counter.leave(client);
      else running.set(worker, [...(running.get(worker) ?? []), client]);
    }
    if (worker.isConnected()) worker.send({ type: ADMISSION, number, admission } satisfies AdmissionMessage);
  };
}

/** The counter of a worker process. Call it once. */
export function workerCounter(): ClientCounter {
  const pending = new Map<number, (admission: Admission) => void>();
  let last = 0;
  process.on('message', (message) => {
    if (!isMessage<AdmissionMessage>(message, ADMISSION)) return;
    pending.get(message.number)?.(message.admission);
    pending.delete(message.number);
  });
  return {
    enter: (client) =>
      new Promise((resolve) => {
        const number = ++last;
        pending.set(number, resolve);
        process.send?.({ type: ENTER, number, client } satisfies EnterMessage);
      }),
    leave(client) {
      if (process.connected) process.send?.({ type: LEAVE, client } satisfies LeaveMessage);
    },
  };
}

function isMessage<Message extends { type: string }>(value: unknown, type: Message['type']): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
