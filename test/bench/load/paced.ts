// A load generator over kept connections: requests at a fixed rate, evenly spaced, or as soon as the answer
// before has come. A process of its own, started by load.ts: its argument is a JSON file, its output one line of JSON.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** What to send. */
export interface Plan {
  port: number;
  headers: Readonly<Record<string, string>>;
  /** Path and query of each request, in turn. */
  targets: readonly string[];
  /** The first target, counted from 0. */
  offset: number;
  connections: number;
  /** Requests a second; 0 sends each as soon as a connection is free. */
  rate: number;
  /** Requests in all. */
  requests: number;
}

/** What was measured. Latency in milliseconds, from the time at which a request was due. */
export interface Paced {
  requests: number;
  /** The part of the time in which this process itself did not run: then latencies say little of the server. */
  stalledShare: number;
  seconds: number;
  p50: number;
  p90: number;
  p99: number;
}

const BREAK = Buffer.from('\r\n\r\n');
/** Longer turns of the event loop mean that the process did not run. */
const TURN_MAX_MS = 3;
/** Without any answer for so long, the measurement has failed. */
const SILENT_MS = 10_000;

/** A kept connection with at most one request on its way. */
class KeptConnection {
  readonly #socket: Socket;
  readonly #onAnswer: (connection: KeptConnection, dueMs: number) => void;
  #dueMs = 0;
  /** The beginning of an answer whose headers are not complete. */
  #head: Buffer | undefined;
  /** Bytes of the body that have not come; -1 before its headers. */
  #left = -1;

  constructor(port: number, onAnswer: (connection: KeptConnection, dueMs: number) => void) {
    this.#onAnswer = onAnswer;
    this.#socket = connect(port, '127.0.0.1').setNoDelay();
    this.#socket.on('data', (data) => this.#receive(data));
    this.#socket.on('error', fail).on('end', () => fail(new Error('the server has closed a connection')));
  }

  send(request: string, dueMs: number): void {
    this.#dueMs = dueMs;
    this.#socket.write(request, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    let body = data;
    if (this.#left === -1) {
      const text = this.#head === undefined ? data : Buffer.concat([this.#head, data]);
      const end = text.indexOf(BREAK);
      this.#head = end === -1 ? text : undefined;
      if (end === -1) return;
      this.#left = bodyBytes(text.toString('latin1', 0, end));
      body = text.subarray(end + BREAK.length);
    }
    this.#left -= body.length;
    if (this.#left > 0) return;
    this.#left = -1;
    this.#onAnswer(this, this.#dueMs);
  }
}

function bodyBytes(head: string): number {
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  if (status !== 200) throw new Error(`an answer has status ${status}`);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error('an answer has no Content-Length');
  return Number(length);
}

function fail(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

/** Sends all requests of a plan. */
async function run(plan: Plan): Promise<Paced> {
  const { targets, offset, connections, rate, requests } = plan;
  const fields = Object.entries({ Host: `127.0.0.1:${plan.port}`, ...plan.headers });
  const tail = ` HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const latencies = new Float64Array(requests);
  let answered = 0;
  let sent = 0;
  let lastAnswer = performance.now();
  let lastTurn = lastAnswer;
  let stalledMs = 0;
  const begun = lastAnswer;
  const dueAt = (request: number): number => (rate === 0 ? performance.now() : begun + (request * 1000) / rate);
  return await new Promise((resolve) => {
    const free: KeptConnection[] = [];
    const sendDue = (): void => {
      for (let due = 0; free.length > 0 && sent < requests; sent++) {
        due = dueAt(sent);
        if (due > performance.now()) return;
        free.pop()?.send(`GET ${targets[(offset + sent) % targets.length]}${tail}`, due);
      }
    };
    const onAnswer = (connection: KeptConnection, dueMs: number): void => {
      lastAnswer = performance.now();
      latencies[answered++] = lastAnswer - dueMs;
      free.push(connection);
      if (answered < requests) sendDue();
    };
    const all = Array.from({ length: connections }, () => new KeptConnection(plan.port, onAnswer));
    free.push(...all);
    // Looks at the clock in every turn of the event loop: timers are too coarse.
    const turn = (): void => {
      if (answered === requests) {
        for (const connection of all) connection.end();
        const ms = lastAnswer - begun;
        resolve({ ...summed(latencies), seconds: ms / 1000, stalledShare: stalledMs / ms });
        return;
      }
      const now = performance.now();
      if (now - lastTurn > TURN_MAX_MS) stalledMs += now - lastTurn;
      lastTurn = now;
      if (performance.now() - lastAnswer > SILENT_MS) fail(new Error('no answer for 10 s'));
      sendDue();
      if (rate === 0) setTimeout(turn, 1);
      else setImmediate(turn);
    };
    turn();
  });
}

function summed(latencies: Float64Array): Pick<Paced, 'requests' | 'p50' | 'p90' | 'p99'> {
  const sorted = latencies.toSorted();
  const percentile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return { requests: sorted.length, p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) };
}

const [, , file] = process.argv;
if (file !== undefined) {
  const plan: Plan = JSON.parse(readFileSync(file, 'utf8'));
  console.log(JSON.stringify(await run(plan)));
}
