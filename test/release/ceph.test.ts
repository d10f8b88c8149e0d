// Upload and origin with Ceph's S3 gateway, another implementation than that of s3-server.ts: it checks every signature.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { openTarget } from '../../generator/upload/open-target.ts';
import { type Uploaded, upload } from '../../generator/upload/upload.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { filesUnder } from '../support/files.ts';
import { pagesFrom, send } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { S3_ENV } from '../support/http/s3-server.ts';
import { CEPH_ACCOUNT, startCeph, withoutCeph } from '../support/processes/ceph.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BUCKET = 'boundaries';
const PREFIX = 'a prefix/with ~+()/';

/** The account in the environment, where the AWS client looks for it. */
function useSecret(secret: string): void {
  Object.assign(process.env, S3_ENV, {
    AWS_ACCESS_KEY_ID: CEPH_ACCOUNT.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_REGION: 'us-east-1',
  });
}

test('Ceph: a release is uploaded, served like the folder, uploaded again in part, and refused to another key', {
  skip: withoutCeph,
}, async () => {
  const folder = temporaryFolder();
  await buildRelease(writeCountries(), folder);
  const endpoint = await startCeph();
  useSecret(CEPH_ACCOUNT.secretAccessKey);
  const client = new S3Client({ endpoint, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const uploadNow = async (): Promise<Uploaded> => {
    const target = await openTarget(`s3://${BUCKET}/${PREFIX}`, folder, { endpoint, concurrency: 8 });
    const options = { release: undefined, concurrency: 8, dryRun: false, removeOthers: false, graceMs: 0 };
    return upload({ out: folder, ...options }, target, SILENT).finally(() => target.close());
  };

  await uploadNow();
  const files = filesUnder(folder).length;
  const keys = await keysIn(client);
  assert.equal(keys.length, files);
  const origin = await s3Origin({ bucket: BUCKET, prefix: PREFIX }, { endpoint });
  const [remote, local] = [await startService(folder, { origin }), await startService(folder)];
  for (const format of FORMATS)
    for (const level of LEVELS)
      for (const query of ['', '?page-size=1', '?gid-0=AAA&page-size=1']) {
        const path = `/api/v1/${format}/${levelName(level)}${query}`;
        const there = pagesFrom(remote, path, { host: 'maps.test' });
        for await (const page of pagesFrom(local, path, { host: 'maps.test' })) {
          const { value } = await there.next();
          assert.ok(value instanceof Object, path);
          assert.ok(value.body.equals(page.body), path);
          assert.deepEqual([value.headers.etag, value.headers.link], [page.headers.etag, page.headers.link]);
        }
        assert.equal((await there.next()).done, true);
      }

  const again = await uploadNow();
  assert.equal(again.uploaded.files, 0);
  const [lost] = keys.filter((key) => key.endsWith('.gz'));
  await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: lost }));
  assert.equal((await uploadNow()).uploaded.files, 1);
  assert.deepEqual(await keysIn(client), keys);

  useSecret('another secret');
  await assert.rejects(uploadNow(), /403 \(SignatureDoesNotMatch\)/);
  const refused = await startService(folder, {
    origin: await s3Origin({ bucket: BUCKET, prefix: PREFIX }, { endpoint }),
    early: true,
  });
  assert.equal((await send(refused, '/readyz')).status, 503);
  await assert.rejects(refused.releases.refresh(), /status 403/);
});

async function keysIn(client: S3Client): Promise<string[]> {
  const keys: string[] = [];
  for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, ContinuationToken: token }));
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
    token = page.NextContinuationToken;
  }
  return keys;
}
