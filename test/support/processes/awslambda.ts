// The global `awslambda` of Lambda's runtime for Node, with its documented interface: a stand-in.
import { Transform, type Writable } from 'node:stream';

/** Between the JSON with status and headers and the body. */
export const SEPARATOR = Buffer.alloc(8);

/** Sets the global. */
export function installAwslambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handle: unknown) => handle,
      HttpResponseStream: {
        /** Status and headers are sent with the first write, and never if there is none. */
        from(stream: Writable, head: unknown): Writable {
          let before = Buffer.concat([Buffer.from(JSON.stringify(head)), SEPARATOR]);
          const body = new Transform({
            transform(chunk: Buffer, _encoding, done) {
              done(null, Buffer.concat([before, chunk]));
              before = Buffer.alloc(0);
            },
          });
          body.pipe(stream);
          return body;
        },
      },
    },
  });
}
