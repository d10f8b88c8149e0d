// The service as an AWS Lambda function with a function URL that streams its responses. See README.md.
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFetchHandler } from 'administrative-boundaries-service/fetch';
import { openOrigin } from 'administrative-boundaries-service/proxy';

const { PUBLIC = 'false' } = process.env;
if (PUBLIC !== 'true' && PUBLIC !== 'false')
  throw new Error(`PUBLIC is ${JSON.stringify(PUBLIC)}, neither true nor false`);
/** Is everybody served, without tokens? */
const isPublic = PUBLIC === 'true';

const forTokens = ['JWKS', 'JWKS_URL', 'ISSUER', 'AUDIENCE', 'SCOPE'].filter((name) => name in process.env);
if (isPublic && forTokens.length > 0)
  throw new Error(`PUBLIC and ${forTokens.join(', ')}: leave out PUBLIC or the others`);

/** Whose tokens are valid. */
const tokens = isPublic
  ? { public: true }
  : {
      jwks: [process.env.JWKS ?? variable('JWKS_URL')],
      issuer: [variable('ISSUER')],
      audience: variable('AUDIENCE'),
      scope: process.env.SCOPE,
    };

const boundaries = await createFetchHandler({
  origin: await openOrigin(variable('ORIGIN'), { s3Endpoint: process.env.S3_ENDPOINT }),
  ...tokens,
  publicUrl: process.env.PUBLIC_URL,
  currentCache: process.env.CURRENT_CACHE,
  // Half of what the function has, in MB; the rest is for everything else.
  tableMemory: Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 128) / 2,
  log: console.error,
});

/** What a CDN in front adds to each request, `Name: value`. Who lacks it has gone past the CDN. */
const [frontName = '', frontValue] = process.env.FRONT_HEADER?.split(/:\s*(.*)/s) ?? [];

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
  return value;
}

/** What is read of an event of a function URL, payload format 2.0. */
export interface UrlEvent {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string>;
  requestContext: { domainName: string; http: { method: string } };
}

/** The runtime's global for streamed responses. */
declare const awslambda: {
  streamifyResponse(handle: (event: UrlEvent, stream: Writable) => Promise<void>): unknown;
  HttpResponseStream: {
    from(stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
};

export const handler: unknown = awslambda.streamifyResponse(async (event, stream) => {
  const { rawPath, rawQueryString, headers, requestContext } = event;
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`;
  const url = `https://${requestContext.domainName}${rawPath}${query}`;
  const background: Promise<unknown>[] = [];
  const request = new Request(url, { method: requestContext.http.method, headers });
  const isPast = frontValue !== undefined && request.headers.get(frontName) !== frontValue;
  const response = isPast
    ? new Response('ask by the public address of this service\n', { status: 403 })
    : await boundaries.fetch(request, { waitUntil: (work) => background.push(work) });
  const head = { statusCode: response.status, headers: Object.fromEntries(response.headers) };
  const body = awslambda.HttpResponseStream.from(stream, head);
  // The runtime sends status and headers with the first write.
  body.write('');
  await pipeline(response.body === null ? [] : Readable.fromWeb(response.body), body);
  await Promise.all(background);
});
