// What the sample answers to a question, as /docs and proxy/README.md show it: some of the headers, long bodies without
// their middle, and one text for all cursors and one for all digests, which differ with every release.
import { STATUS_CODES } from 'node:http';
import type { Question } from '../../proxy/site/questions.ts';
import { send, textOf } from './http/http-client.ts';

const HOST = 'boundaries.example.org';
const HEADERS = ['Content-Type', 'Content-Disposition', 'Link', 'Boundaries-Matched'];
/** What is shown of a body that is longer than both together. */
const START_CHARS = 320;
const END_CHARS = 200;
const CURSOR = /\bc_[\w-]{20,}/g;
const DIGEST = /\b[0-9a-f]{12,64}\b/g;

/** Asks a service. */
export async function shownAnswer(service: { url: string }, { method, target }: Question): Promise<string> {
  const answer = await send(service, target, { host: HOST, 'accept-encoding': 'identity' }, method);
  const header = (name: string) => answer.headers[name.toLowerCase()];
  return shown(answer.status, header, method === 'HEAD' ? '' : textOf(answer));
}

/**
 * The answer that `curl -si` or `curl -sI` has printed.
 * @param url of the service
 */
export function printedAnswer(text: string, url: string): string {
  const [head = '', ...body] = text.replaceAll(url, `http://${HOST}`).split('\r\n\r\n');
  const status = /^HTTP\/1.1 (\d+)/.exec(head)?.[1];
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head.replaceAll('\r', ''))?.[1];
  return shown(Number(status), header, body.join('\r\n\r\n'));
}

function shown(status: number, header: (name: string) => unknown, text: string): string {
  const body = text.trimEnd();
  const isLong = body.length > START_CHARS + END_CHARS;
  const headers = HEADERS.map((name) => [name, header(name)] as const).filter(([, value]) => value !== undefined);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['', isLong ? `${body.slice(0, START_CHARS)}…${body.slice(-END_CHARS)}` : body]),
  ]
    .join('\n')
    .replace(CURSOR, 'c_AgEA...')
    .replace(DIGEST, '9f86d0...');
}
