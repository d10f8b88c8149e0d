// A private bucket for tests: s3rver keeps the objects and speaks S3's protocol. s3rver does not check signatures of
// version 4, so a server in front recomputes each one with aws4, an implementation that the project does not use, checks
// the digests of bodies, pages listings, remembers what it was asked, and fails when told to.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import aws4 from 'aws4';
import S3rver from 's3rver';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { listen } from './listen.ts';
import type { RunningHost } from './static-host.ts';

/** The account that s3rver knows. */
const ACCOUNT = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const REGION = 'eu-central-1';
export const BUCKET = 'boundaries';

/** The environment with which the AWS client finds the account, and nothing of the machine. */
export const S3_ENV: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: ACCOUNT.accessKeyId,
  AWS_SECRET_ACCESS_KEY: ACCOUNT.secretAccessKey,
  AWS_REGION: REGION,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/nonexistent',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

/** A running server, with an empty bucket. */
export interface RunningS3 extends RunningHost {
  /** For --s3-endpoint. */
  endpoint: string;
  /** The file in which s3rver keeps an object; beside it with `.md5` its ETag. */
  fileOf(key: string): string;
  /** Objects on a page of a listing. */
  pageSize: number;
}

/** An output folder whose files are in the bucket, as they are at the time. */
interface Mirrored {
  folder: string;
  /** Where they are in the bucket; empty, or ends in a slash. */
  prefix: string;
}

/** What a server was asked to change: method and path below a prefix of the bucket, in order. */
export function changesOf({ asked }: RunningS3, prefix: string): string[] {
  const changes = asked.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  return changes.map(({ method, url }) => `${method} ${url.split('?')[0]?.replace(`/${BUCKET}/${prefix}`, '')}`);
}

/**
 * Starts a server; it stops when the test file ends. The process gets the environment of its account.
 * @param mirrored undefined for an empty bucket
 */
export async function startS3(mirrored?: Mirrored): Promise<RunningS3> {
  Object.assign(process.env, S3_ENV);
  const directory = temporaryFolder();
  const buckets = [{ name: BUCKET }];
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false };
  const s3rver = new S3rver({ ...options, configureBuckets: buckets });
  const { port } = await s3rver.run();
  after(async () => {
    s3rver.httpServer.closeAllConnections();
    await s3rver.close();
  });
  // s3rver removes empty folders after its answer: a listing may find one that is gone. S3's clients try again after a 500.
  const server: Server = createServer(
    (req, res) => void receive(req, res).catch((error) => sendError(res, 500, String(error))),
  );
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [path = ''] = (req.url ?? '').split('?');
    running.asked.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers });
    const body = await buffer(req).catch(() => undefined);
    if (body === undefined) return;
    const refusal = refusalOf(req, body);
    if (refusal !== undefined) {
      sendError(res, 403, refusal);
      return;
    }
    const key = decodeURIComponent(path).slice(BUCKET.length + 2);
    const object = running.fileOf(key);
    const file = mirrored === undefined ? object : join(mirrored.folder, key.slice(mirrored.prefix.length));
    if (running.fault?.(req, res, file)) return;
    if (mirrored !== undefined) link(file, object);
    const isPut = req.method === 'PUT';
    if (req.method === 'GET' && key === '') {
      sendListing(req.url ?? '', res, join(directory, BUCKET), running.pageSize);
      return;
    }
    pass(req, res, body, port, async (status) => {
      // s3rver answers before it has written the object, or even made its file.
      const size = (): number | undefined => statSync(running.fileOf(key), { throwIfNoEntry: false })?.size;
      if (isPut && status === 200)
        await until(
          () => size() === body.length,
          () => `${key} is not written`,
        );
    });
  };
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const url = new URL(`${endpoint}/${BUCKET}/${mirrored?.prefix ?? ''}`);
  const fileOf = (key: string): string => join(directory, BUCKET, key + OBJECT);
  const running: RunningS3 = { url, server, endpoint, fileOf, pageSize: 1000, asked: [], fault: undefined };
  return running;
}

/** Puts a file into the bucket, by a link that s3rver follows: a file that is removed or replaced is so in the bucket. */
function link(file: string, object: string): void {
  mkdirSync(dirname(object), { recursive: true });
  if (lstatSync(object, { throwIfNoEntry: false }) === undefined) symlinkSync(file, object);
}

/** The code of the error of a request that may not pass; undefined if its signature and digests are right. */
function refusalOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const { authorization = '' } = headers;
  const [, key, region = '', names = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=/.exec(
      authorization,
    ) ?? [];
  if (key === undefined) return 'AccessDenied';
  if (key !== ACCOUNT.accessKeyId) return 'InvalidAccessKeyId';
  const signed = Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])]));
  const must = ['host', 'x-amz-date', 'x-amz-content-sha256'];
  if (must.some((name) => !names.split(';').includes(name))) return 'AccessDenied';
  const host = String(headers.host);
  const signer = new aws4.RequestSigner(
    { service: 's3', region, method, path: url, host, headers: signed, doNotModifyHeaders: true },
    ACCOUNT,
  );
  // Without it, the time of the signature is now.
  signer.datetime = String(signed['x-amz-date']);
  if (signer.authHeader() !== authorization) return 'SignatureDoesNotMatch';
  const digest = (name: string, encoding: 'hex' | 'base64'): string => createHash(name).update(body).digest(encoding);
  const md5 = headers['content-md5'];
  // rclone signs the MD5 of a body and not its SHA-256.
  const isSigned = signed['x-amz-content-sha256'] !== 'UNSIGNED-PAYLOAD' || signed['content-md5'] === undefined;
  if (isSigned && signed['x-amz-content-sha256'] !== digest('sha256', 'hex')) return 'XAmzContentSHA256Mismatch';
  return md5 !== undefined && md5 !== digest('md5', 'base64') ? 'BadDigest' : undefined;
}

/** Answers as S3 does. */
export function sendError(res: ServerResponse, status: number, code: string): void {
  res.writeHead(status, { 'Content-Type': 'application/xml' });
  res.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

/** Passes a request on to s3rver, and its answer back after `before` has ended. */
function pass(
  { method, url, headers }: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  port: number,
  before: (status: number | undefined) => Promise<void>,
): void {
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
    void before(answer.statusCode).then(() => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
  });
  sent.on('error', () => res.destroy());
  sent.end(body);
}

/** The end of the name of the file in which s3rver keeps an object. */
const OBJECT = '._S3rver_object';

/**
 * Answers a request for a listing (ListObjectsV2) from the files of s3rver: its own listings are in the order of a walk
 * through folders, not of keys, and their tokens need DES, which OpenSSL 3 no longer has. A token is the last key of a page.
 */
function sendListing(target: string, res: ServerResponse, bucket: string, pageSize: number): void {
  const query = new URLSearchParams(target.slice(target.indexOf('?')));
  const prefix = query.get('prefix') ?? '';
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
  const delimiter = query.get('delimiter') || null;
  /** A key, or the part of it that stands for all keys with this beginning. */
  const entryOf = (key: string): string => {
    const at = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    return at === -1 ? key : key.slice(0, at + 1);
  };
  const keys = readdirSync(bucket, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(OBJECT))
    .map((file) => file.slice(0, -OBJECT.length))
    .filter((key) => key.startsWith(prefix));
  const entries = [...new Set(keys.map(entryOf))].filter((entry) => entry > after).sort();
  const page = entries.slice(0, pageSize);
  const isTruncated = page.length < entries.length;
  const contents = page.map((key) => {
    if (key.at(-1) === delimiter) return `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`;
    const file = join(bucket, key + OBJECT);
    const md5 = readFileSync(`${file}.md5`, 'utf8').trim();
    const { size, mtime } = statSync(file);
    const about = `<LastModified>${mtime.toISOString()}</LastModified><ETag>"${md5}"</ETag><Size>${size}</Size>`;
    return `<Contents><Key>${key}</Key>${about}</Contents>`;
  });
  const token = Buffer.from(page.at(-1) ?? '').toString('base64');
  const next = isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
  res.writeHead(200, { 'Content-Type': 'application/xml' });
  res.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
      `<IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}
