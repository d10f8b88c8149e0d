// The answer to a parsed request, from the release that it needs. If a file of that release turns out to be missing or
// damaged, the release may just have been removed or replaced: then the request is answered as it would be now.
import { FormatError } from '../../format/parse.ts';
import type { Answer, Body } from '../http/answer.ts';
import { OriginError } from '../origin/origin.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { Releases } from '../releases/releases.ts';
import type { PageRequest } from './parse-query.ts';
import { isPinned } from './parse-query.ts';
import { pickRelease } from './pick-release.ts';
import type { CacheableResponse } from './response-cache.ts';

/** Thrown when the content of an answer cannot be read: another answer takes its place. */
export class ReplacedAnswer extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the release was removed while its files were read');
    this.name = 'ReplacedAnswer';
    this.answer = answer;
  }
}

/**
 * The answer to a request.
 * @param respond makes the answer from a release
 * @throws Problem release-gone, not-ready
 * @throws OriginError, FormatError if a hosted release cannot be loaded
 */
export async function answerRequest(
  releases: Releases,
  request: PageRequest,
  respond: (release: LoadedRelease) => Promise<Answer>,
): Promise<CacheableResponse> {
  const release = await pickRelease(releases, request);
  const answerAgain = async (error: unknown): Promise<CacheableResponse> => {
    const reason = error instanceof OriginError ? error.reason : undefined;
    if (reason !== 'missing' && reason !== 'damaged' && !(error instanceof FormatError)) throw error;
    await releases.recheck(release, reason === 'missing');
    if ((await pickRelease(releases, request)) === release) throw error;
    return answerRequest(releases, request, respond);
  };
  let answer: Answer;
  try {
    answer = await respond(release);
  } catch (error) {
    return answerAgain(error);
  }
  const { content } = answer;
  const { id, digest } = release;
  const response = { answer, release: { id, digest }, isPinned: isPinned(request) };
  if (content === undefined || typeof content.body !== 'function') return response;

  const read = content.body;
  const replace = async (error: unknown): Promise<never> => {
    throw new ReplacedAnswer((await answerAgain(error)).answer);
  };
  const body = async (...client: Parameters<typeof read>): Promise<Body> => {
    const body = await Promise.resolve(read(...client)).catch(replace);
    return Buffer.isBuffer(body) ? body : catchFirst(body, replace);
  };
  return { ...response, answer: { ...answer, content: { ...content, body } } };
}

/** The chunks of a body; `onError` receives an error that occurs before the first one. */
async function* catchFirst(
  chunks: AsyncIterable<Buffer>,
  onError: (error: unknown) => Promise<never>,
): AsyncGenerator<Buffer, void, undefined> {
  let isStarted = false;
  try {
    for await (const chunk of chunks) {
      isStarted = true;
      yield chunk;
    }
  } catch (error) {
    if (isStarted) throw error;
    await onError(error);
  }
}
