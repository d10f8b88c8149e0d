// The official client for S3 and everything that speaks it: the only file that loads @aws-sdk/client-s3, an optional
// package, and only when a bucket is named. Region, credentials, profiles, roles and endpoints are found as the AWS
// tools find them. Used by the upload of the generator, and by signer.ts.
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { installCommand } from '../command-line/install-command.ts';
import type { S3Location } from './location.ts';
import { explainS3Error, S3Error } from './s3-error.ts';

/** The packages that buckets need. */
const S3_PACKAGES: readonly string[] = ['@aws-sdk/client-s3', '@smithy/signature-v4'];

/** The package, whose commands go with the client. */
export type S3Sdk = typeof import('@aws-sdk/client-s3');

/** How a bucket is reached. */
export interface S3Options {
  /** URL of the server; by default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, that of the profile, or AWS itself. */
  endpoint: string | undefined;
  /** Maximum number of connections. */
  connections: number;
}

/** A client whose region and credentials are known. */
export interface OpenBucket {
  sdk: S3Sdk;
  client: S3Client;
  /** URL of the folder in the bucket; ends in a slash. */
  url: URL;
  region: string;
}

/** The region where a server with an endpoint of its own needs none; R2, MinIO and Ceph accept it. */
const REGION_OF_OTHERS = 'us-east-1';
/** Attempts for each request, the first included, with exponential backoff. */
const ATTEMPTS = 5;
const CONNECT_MS = 10_000;
/** Time without a byte in either direction. */
const IDLE_MS = 60_000;
/** Any key: it shows where keys are in the URL. */
const SAMPLE_KEY = 'key';

/**
 * Loads the client and finds region, credentials and endpoint.
 * @throws S3Error if the package is not installed, or one of them is not configured
 */
export async function openBucket(location: S3Location, options: S3Options): Promise<OpenBucket> {
  const sdk = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    throw missingS3Packages(error);
  });
  const { endpoint, connections } = options;
  const config: S3ClientConfig = {
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: ATTEMPTS,
    // Servers other than AWS do not know the checksums that the client would add to every request.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      httpAgent: { maxSockets: connections, keepAlive: true },
      httpsAgent: { maxSockets: connections, keepAlive: true },
    },
  };
  const where = `s3://${location.bucket}/${location.prefix}`;
  const region = await findRegion(sdk, config);
  try {
    const client = new sdk.S3Client({ ...config, region });
    const url = await folderUrl(sdk, client, location);
    // As the AWS command line does: other servers may have no host name for each bucket.
    if (/\.amazonaws\.com(\.cn)?$/.test(url.hostname)) return { sdk, client, url, region };
    client.destroy();
    const byPath = new sdk.S3Client({ ...config, region, forcePathStyle: true });
    return { sdk, client: byPath, url: await folderUrl(sdk, byPath, location), region };
  } catch (error) {
    throw explainS3Error(error, where);
  }
}

/** The error for packages that are not installed. */
export function missingS3Packages(error: unknown): S3Error {
  const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return new S3Error(`buckets need ${S3_PACKAGES.join(', ')}: ${reason}`, installCommand(S3_PACKAGES), error);
}

async function findRegion(sdk: S3Sdk, config: S3ClientConfig): Promise<string> {
  try {
    return await new sdk.S3Client(config).config.region();
  } catch (error) {
    if (config.endpoint !== undefined) return REGION_OF_OTHERS;
    throw new S3Error(
      'no AWS region is configured',
      'set AWS_REGION to the region of the bucket, e.g. AWS_REGION=eu-central-1, or region in ~/.aws/config',
      error,
    );
  }
}

/**
 * Prepares a request as the client would send it, and takes the URL of the folder from it.
 * @throws an error of the client if there are no credentials
 */
async function folderUrl(sdk: S3Sdk, client: S3Client, { bucket, prefix }: S3Location): Promise<URL> {
  const command = new sdk.HeadObjectCommand({ Bucket: bucket, Key: `${prefix}${SAMPLE_KEY}` });
  let url: URL | undefined;
  command.middlewareStack.add(
    () => async (args) => {
      url = requestUrl(args.request);
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  await client.send(command);
  if (url === undefined) throw new TypeError('the AWS client prepared no request');
  url.pathname = url.pathname.slice(0, -SAMPLE_KEY.length);
  return url;
}

/** The URL of a request of the client, without its query. */
function requestUrl(request: unknown): URL {
  if (
    typeof request === 'object' &&
    request !== null &&
    'protocol' in request &&
    'hostname' in request &&
    'path' in request
  ) {
    const port = 'port' in request && request.port !== undefined ? `:${request.port}` : '';
    return new URL(`${request.protocol}//${request.hostname}${port}${request.path}`);
  }
  throw new TypeError('a request of the AWS client has no URL');
}
