// A runtime of Lambda's kind: loads the handler, asks the runtime API for one event after the other, and streams each
// response there. Run by itself, in a process, with the variables that Lambda sets.
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { installAwslambda } from './awslambda.ts';

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT = '', _HANDLER = '' } = process.env;
const API = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;

installAwslambda();
const [file = '', name = ''] = _HANDLER.split('.');
const { [name]: handler } = await import(pathToFileURL(join(LAMBDA_TASK_ROOT, `${file}.mjs`)).href);
for (;;) {
  const [next] = await once(request(`${API}/invocation/next`).end(), 'response');
  const event = JSON.parse(await text(next));
  const answering = request(`${API}/invocation/${next.headers['lambda-runtime-aws-request-id']}/response`, {
    method: 'POST',
    headers: {
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      'Content-Type': 'application/vnd.awslambda.http-integration-response',
      'Transfer-Encoding': 'chunked',
    },
  });
  const stream = new PassThrough();
  stream.pipe(answering);
  const [[answer]] = await Promise.all([once(answering, 'response'), handler(event, stream)]);
  await text(answer);
}
