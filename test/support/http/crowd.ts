// Many connections that ask for the same kind of thing again and again, as a program of its own: what they do must not
// share an event loop with what is measured. Started by `crowd`; prints what it was answered as JSON.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface CrowdOptions {
  url: string;
  /**
   * `{0:9}` stands for an integer, `{0.5:9}` for a decimal from the first number up to the second, chosen for each
   * request.
   */
  path: string;
  /** One is used on each connection, in turn. */
  tokens: readonly string[];
  connections: number;
  /** Between an answer and the next request on a connection, in milliseconds. */
  pauseMs: number;
  ms: number;
  /** Is what is asked by then waited for, at least one answer? Otherwise connections are cut. */
  waits?: boolean;
  method?: string;
  /** Further header lines, each with its end. */
  headers?: string;
}

/** What a crowd was answered; times in milliseconds. */
export interface CrowdAnswers {
  /** How many by status; 0 for connections that were cut. */
  statuses: Record<string, number>;
  median: number;
}

/**
 * Runs a crowd in a process of its own; resolves when it has ended.
 * @param onBegun is called when all of its connections have had an answer
 */
export async function crowd(options: CrowdOptions, onBegun: () => void = () => {}): Promise<CrowdAnswers> {
  const args = [...process.execArgv.filter((arg) => !arg.startsWith('--test')), fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(options));
  let text = '';
  for await (const piece of child.stdout) {
    if (text === '') onBegun();
    text += piece;
  }
  return JSON.parse(text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const options: CrowdOptions = JSON.parse(text);
  const { tokens, connections, ms } = options;
  const until = performance.now() + ms;
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const one = async (i: number): Promise<void> => {
    // Connections of a crowd do not come in the same millisecond.
    await pause(Math.random() * Math.min(options.pauseMs, ms));
    while (performance.now() < until)
      await onConnection(options, tokens[i % tokens.length] ?? '', until, statuses, times);
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => one(i)));
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ statuses, median: times[times.length >> 1] ?? ms }));
  process.exit(0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks on one connection until it is cut, or the time is over; what is cut then has taken until then. */
function onConnection(
  { url, path, pauseMs, connections, waits = false, method = 'GET', headers = '' }: CrowdOptions,
  token: string,
  until: number,
  statuses: Record<string, number>,
  times: number[],
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    let [asked, left, head] = [0, -1, ''];
    const ask = (): void => {
      if (performance.now() >= until && !(waits && times.length === 0)) {
        socket.destroy();
        return;
      }
      asked = performance.now();
      const target = path.replaceAll(/\{(-?[\d.]+):(-?[\d.]+)\}/g, (_, from, to) => {
        const number = Number(from) + Math.random() * (Number(to) - Number(from));
        return from.includes('.') ? number.toFixed(6) : String(Math.floor(number));
      });
      socket.write(
        `${method} ${target} HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer ${token}\r\nAccept-Encoding: gzip\r\n${headers}\r\n`,
      );
    };
    const answered = (status: string): void => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      times.push(performance.now() - asked);
      if (times.length === connections) console.log();
      asked = 0;
      [left, head] = [-1, ''];
      setTimeout(ask, pauseMs);
    };
    socket.on('connect', ask);
    socket.on('data', (piece: Buffer) => {
      if (left < 0) {
        head += piece.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const bytes = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const hasBody = method !== 'HEAD' && !/^HTTP\/1\.1 (304|204)/.test(head);
        left = (hasBody ? bytes : 0) - (head.length - end - 4);
      } else left -= piece.length;
      if (left === 0) answered(head.slice(9, 12));
    });
    socket.on('error', () => {});
    if (!waits) socket.setTimeout(Math.max(1, until - performance.now()), () => socket.destroy());
    socket.on('close', () => {
      if (asked > 0) {
        times.push(performance.now() - asked);
        if (waits || performance.now() < until) statuses['0'] = (statuses['0'] ?? 0) + 1;
      }
      resolve();
    });
  });
}
