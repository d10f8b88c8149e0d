// A private bucket for tests: the part of S3's protocol that the proxy, rclone and the AWS CLI speak, over the files of
// a folder. It recomputes each signature with aws4, an implementation that the project does not use, checks the digests
// of bodies, remembers what it was asked, and fails when told to.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import aws4 from 'aws4';
import { filesUnder } from '../files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listen } from './listen.ts';
import { type RunningHost, sendFile } from './static-host.ts';

const ACCOUNT = { accessKeyId: 'TESTER', secretAccessKey: 'a secret of the tests' };
const REGION = 'eu-central-1';
const UNKNOWN_TYPE = 'binary/octet-stream';
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

export interface RunningS3 extends RunningHost {
  /** For --s3-endpoint. */
  endpoint: string;
  fileOf(key: string): string;
  pageSize: number;
}

/** What a bucket has: the files of a folder, as they are at the time. */
interface Content {
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
 * @param content an empty bucket if left out
 */
export async function startS3(content: Content = { folder: temporaryFolder(), prefix: '' }): Promise<RunningS3> {
  Object.assign(process.env, S3_ENV);
  const { folder, prefix } = content;
  const types = new Map<string, string>();
  const server: Server = createServer(async (req, res) => {
    const { method = '', url = '', headers } = req;
    running.asked.push({ method, url, headers });
    const body = await buffer(req).catch(() => undefined);
    if (body === undefined) return;
    const refusal = refusalOf(req, body);
    const key = decodeURIComponent(url.split('?')[0] ?? '').slice(BUCKET.length + 2);
    const file = running.fileOf(key);
    if (refusal !== undefined) sendError(res, 403, refusal);
    else if (running.fault?.(req, res, file)) return;
    else if (method === 'GET' && key === '') sendListing(url, res, content, running.pageSize);
    else if (method === 'PUT') {
      mkdirSync(dirname(file), { recursive: true });
      // An object is there as a whole or not at all.
      writeFileSync(join(staging, 'object'), body);
      renameSync(join(staging, 'object'), file);
      types.set(key, headers['content-type'] ?? UNKNOWN_TYPE);
      res.writeHead(200, { ETag: etagOf(file) }).end();
    } else if (method === 'DELETE') {
      rmSync(file, { force: true });
      res.writeHead(204).end();
    } else {
      const found = key.startsWith(prefix) ? statSync(file, { throwIfNoEntry: false }) : undefined;
      // What is a folder here is nothing in a bucket.
      if (!found?.isFile()) sendError(res, 404, 'NoSuchKey');
      else {
        const about = { ETag: etagOf(file), 'Last-Modified': found.mtime.toUTCString() };
        sendFile(file, req, res, { ...about, 'Content-Type': types.get(key) ?? UNKNOWN_TYPE });
      }
    }
  });
  const staging = temporaryFolder();
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const url = new URL(`${endpoint}/${BUCKET}/${prefix}`);
  const fileOf = (key: string): string => join(folder, key.slice(prefix.length));
  const running: RunningS3 = { url, server, endpoint, fileOf, pageSize: 1000, asked: [], fault: undefined };
  return running;
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
  // Of itself it leaves out some that others sign.
  const extraHeadersToInclude = Object.fromEntries(names.split(';').map((name) => [name, true]));
  const signer = new aws4.RequestSigner(
    {
      service: 's3',
      region,
      method,
      path: url,
      host,
      headers: signed,
      doNotModifyHeaders: true,
      extraHeadersToInclude,
    },
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

function sendError(res: ServerResponse, status: number, code: string): void {
  sendXml(res, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function sendXml(res: ServerResponse, status: number, xml: string): void {
  res.writeHead(status, { 'Content-Type': 'application/xml' });
  res.end(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
}

function etagOf(file: string): string {
  return `"${createHash('md5').update(readFileSync(file)).digest('hex')}"`;
}

/** Answers a request for a listing (ListObjectsV2). A token is the last entry of a page. */
function sendListing(target: string, res: ServerResponse, content: Content, pageSize: number): void {
  const query = new URLSearchParams(target.slice(target.indexOf('?')));
  const prefix = query.get('prefix') ?? '';
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
  const delimiter = query.get('delimiter') || null;
  /** A key, or the part of it that stands for all keys with this beginning. */
  const entryOf = (key: string): string => {
    const at = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    return at === -1 ? key : key.slice(0, at + 1);
  };
  const keys = filesUnder(content.folder).map((path) => content.prefix + path);
  const listed = new Set(keys.filter((key) => key.startsWith(prefix)).map(entryOf));
  const entries = [...listed].filter((entry) => entry > after).sort();
  const page = entries.slice(0, pageSize).map((key) => {
    if (key.at(-1) === delimiter) return `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`;
    const file = join(content.folder, key.slice(content.prefix.length));
    const { size, mtime } = statSync(file);
    const about = `<LastModified>${mtime.toISOString()}</LastModified><ETag>${etagOf(file)}</ETag><Size>${size}</Size>`;
    return `<Contents><Key>${key}</Key>${about}</Contents>`;
  });
  const isTruncated = page.length < entries.length;
  const token = Buffer.from(entries[pageSize - 1] ?? '').toString('base64');
  const next = isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
  const about = `<IsTruncated>${isTruncated}</IsTruncated>${next}${page.join('')}`;
  sendXml(res, 200, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${about}</ListBucketResult>`);
}
