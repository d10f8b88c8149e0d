// The service as an AWS Lambda function with a function URL that streams its responses. See README.md.
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFetchHandler } from 'administrative-boundaries-service/fetch';
import { openOrigin } from 'administrative-boundaries-service/proxy';

const boundaries = await createFetchHandler({
  origin: await openOrigin(variable('ORIGIN')),
  jwks: [process.env.JWKS ?? variable('JWKS_URL')],
  issuer: [variable('ISSUER')],
  audience: variable('AUDIENCE'),
  scope: process.env.SCOPE,
  publicUrl: process.env.PUBLIC_URL,
  log: console.error,
});

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
  const response = await boundaries.fetch(new Request(url, { method: requestContext.http.method, headers }), {
    waitUntil: (work) => background.push(work),
  });
  const head = { statusCode: response.status, headers: Object.fromEntries(response.headers) };
  const body = awslambda.HttpResponseStream.from(stream, head);
  // The runtime sends status and headers with the first write.
  body.write('');
  await pipeline(response.body === null ? [] : Readable.fromWeb(response.body), body);
  await Promise.all(background);
});
