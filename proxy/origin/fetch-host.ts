// The origin that is a static host, read with `fetch`: for platforms without the connections of node:http. The checks,
// and so the answers to faults of the host, are those of static-host.ts.
import type { FileRequest, HostLimits, HostResponse } from './host-response.ts';
import {
  type Chunks,
  checkedBody,
  concatChunks,
  HOST_LIMITS,
  noResponse,
  rangeHeader,
  requestFor,
  responseInTime,
} from './host-response.ts';
import type { Origin } from './origin.ts';

/**
 * Creates the origin of a static host.
 * @param url of the output folder, possibly with a path, and with a query that every request needs
 * @param headers that the host needs
 */
export function fetchHostOrigin(
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: HostLimits = HOST_LIMITS,
): Origin {
  const folder = url.pathname.replace(/\/+$/, '');
  const fixedHeaders = { ...headers, 'accept-encoding': 'identity', 'user-agent': 'boundaries-proxy' };

  const send = async ({ path, range, isWholeFile }: FileRequest): Promise<HostResponse> => {
    // Not parsed anew: a path that begins with two slashes would be another host, which would get the headers.
    const target = new URL(url);
    target.pathname = `${folder}/${path}`;
    const asked = range && !isWholeFile ? { ...fixedHeaders, range: rangeHeader(range) } : fixedHeaders;
    // From the headers on, checkedBody limits the wait for the host; a slow client must not count.
    return responseInTime(path, limits, async (abort) => {
      const request = () => fetch(target, { headers: asked, redirect: 'manual', signal: abort.signal });
      // The host may have closed a kept-alive connection just as it was used: retry once.
      const retry = (error: unknown): Promise<Response> => {
        if (abort.signal.aborted) throw error;
        return request();
      };
      const response = await request()
        .catch(retry)
        .catch((error: unknown) => {
          throw noResponse(path, error instanceof Error ? error.cause : undefined);
        });
      return {
        status: response.status,
        contentRange: response.headers.get('content-range') ?? undefined,
        contentLength: response.headers.get('content-length') ?? undefined,
        body: bytesOf(response),
        cancel: () => abort.abort(),
      };
    });
  };

  async function* readChunks(request: FileRequest, deadline: number): Chunks {
    yield* checkedBody(await send(request), request, limits, deadline);
  }

  return {
    async read(path, extent, reader) {
      const deadline = limits.now() + limits.readMs;
      return concatChunks(readChunks(requestFor(path, extent, reader?.page !== undefined), deadline), extent);
    },
  };
}

/**
 * Bytes that are asked of a body at a time. Platforms give pieces of 4 kB otherwise, and each costs as much as its
 * bytes.
 */
const CHUNK_BYTES = 256 * 1024;

/** What has arrived of a body, as large as possible; the Fetch standard makes bodies byte streams. */
async function* bytesOf({ body, headers }: Response): Chunks {
  if (body === null) return;
  const reader = body.getReader({ mode: 'byob' });
  const length = Math.min(Number(headers.get('content-length')) || CHUNK_BYTES, CHUNK_BYTES);
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(length));
    if (done) return;
    yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
