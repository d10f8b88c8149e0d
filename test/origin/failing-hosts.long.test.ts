// Every fault of a static host, of one that is read with `fetch`, and of a bucket.
import { describe } from 'node:test';
import { fetchHostOrigin } from '../../proxy/origin/fetch-host.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { BUCKET, startS3 } from '../support/http/s3-server.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildWorld, testFailingHost } from './failing-host.ts';

const folder = await buildWorld();
const host = await startStaticHost(folder);
const bucket = await startS3({ folder, prefix: '' });
const location = { bucket: BUCKET, prefix: '' };
const retries = { count: 2, pauseMs: 5 };

describe('a static host', () =>
  testFailingHost(
    folder,
    host,
    async (limits) => staticHostOrigin({ url: host.url, headers: {} }, limits),
    'every case',
  ));

describe('a static host that is read with fetch', () =>
  testFailingHost(folder, host, async (limits) => fetchHostOrigin(host.url, {}, limits), 'every case', true));

describe('a bucket', () =>
  testFailingHost(
    folder,
    bucket,
    (limits) => s3Origin(location, { endpoint: bucket.endpoint, limits, retries }),
    'every case',
  ));
