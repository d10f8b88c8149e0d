// Answers without connections: from what the rows of the API are given, as `handle` gives it to them.
import assert from 'node:assert/strict';
import type { Answer } from '../../../proxy/bodies/answer.ts';
import type { Sources } from '../../../proxy/bodies/row.ts';
import { Releases, type ReleasesOptions } from '../../../proxy/data/hosted-releases.ts';
import { apiRows } from '../../../proxy/features/all-paths.ts';
import { type WorkLimits, WorkQueue } from '../../../proxy/guards/work-queue.ts';
import type { HttpRequest } from '../../../proxy/http/request.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { type Origin, QueuedReads } from '../../../proxy/origin/origin.ts';
import { BodyBuffers } from '../../../proxy/work/body-buffers.ts';
import { receivedRequest } from './received-request.ts';

const ROWS = apiRows();

/** What answers from an output folder without connections. */
export async function sourcesOf(
  folder: string,
  origin: Origin = directoryOrigin(folder),
  options: ReleasesOptions = {},
  work?: WorkLimits,
): Promise<Sources> {
  const releases = new Releases(origin, options);
  await releases.refresh();
  const turns = new WorkQueue(work);
  return { audience: 'public', releases, turns, reads: new QueuedReads(origin, turns, new BodyBuffers()) };
}

/** The answer to a request, before its body is read. */
export async function answerOf(
  sources: Sources,
  target: string,
  principal = 'a',
  peer: HttpRequest['peer'] = {},
): Promise<Answer> {
  const request = Object.assign(receivedRequest(target, principal), { peer });
  const row = ROWS.of(request.path) ?? assert.fail(target);
  return row.answer(sources, request, { base: 'http://a.test', coding: 'gzip' });
}

/** The body of an answer. */
export async function bodyOf({ reads }: Sources, { body }: Answer): Promise<Buffer> {
  const source = body ?? assert.fail('no body');
  if (Buffer.isBuffer(source)) return source;
  const reading = source.read(reads, { principal: 'a', isClosed: false, exchange: undefined });
  // Its memory is used again: as it is sent, it is copied before anything else happens.
  if (Buffer.isBuffer(reading)) return Buffer.from(reading);
  const read = await reading;
  if (Buffer.isBuffer(read)) return read;
  const chunks: Buffer[] = [];
  for await (const chunk of read) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
