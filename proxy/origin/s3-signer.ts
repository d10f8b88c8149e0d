// Signs requests for the files of a bucket (AWS Signature Version 4): the only file that loads the packages for
// buckets, which are optional, and only when a bucket is named. Region, credentials and endpoint are found as the AWS
// tools find them; the requests themselves are those to any static host.
import { hash } from 'node:crypto';
import { installCommand } from '../../format/command-line/messages.ts';

/** A folder in a bucket. */
export interface S3Location {
  bucket: string;
  /** What the keys of all files begin with: empty, or a path that ends in a slash. */
  prefix: string;
}

/** An error of the packages, of region or of credentials. */
export class S3Error extends Error {
  /** What to do. */
  readonly remedy: string;

  /** @param message what is wrong */
  constructor(message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'S3Error';
    this.remedy = remedy;
  }
}

/** A folder in a bucket whose files can be requested with signed requests. */
export interface SignedBucket {
  /** URL of the folder; ends in a slash. */
  url: URL;
  /**
   * The headers that sign a GET request without a body.
   * @param path encoded path of the URL
   * @throws an error of the AWS packages if credentials cannot be renewed
   */
  sign(path: string): Promise<Readonly<Record<string, string>>>;
}

const S3_PACKAGES: readonly string[] = ['@aws-sdk/credential-provider-node', '@smithy/core', '@smithy/signature-v4'];
/** The region where a server with an endpoint of its own needs none; R2, MinIO and Ceph accept it. */
const REGION_OF_OTHERS = 'us-east-1';
/** SHA-256 of a body without content, in hex. */
const EMPTY_SHA256 = hash('sha256', '', 'hex');
/** Domains of AWS by the beginning of the region; of all others amazonaws.com. */
const DOMAINS: readonly (readonly [regions: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
];

/**
 * Finds region, credentials and endpoint of a bucket; credentials are renewed before they expire.
 * @param endpoint URL of the server; by default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, that of the profile, or AWS
 * itself
 * @throws S3Error if packages, region or credentials are missing
 */
export async function openSignedBucket(location: S3Location, endpoint: string | undefined): Promise<SignedBucket> {
  const { defaultProvider, config, Sha256, SignatureV4 } = await loadPackages();
  const server = endpoint ?? (await configuredEndpoint(config));
  const region = await config
    .loadConfig(config.NODE_REGION_CONFIG_OPTIONS, config.NODE_REGION_CONFIG_FILE_OPTIONS)()
    .catch((error: unknown) => {
      if (server !== undefined) return REGION_OF_OTHERS;
      throw new S3Error(
        'no AWS region is configured',
        'set AWS_REGION to the region of the bucket, e.g. AWS_REGION=eu-central-1, or region in ~/.aws/config',
        error,
      );
    });
  const credentials = defaultProvider();
  await credentials().catch((error: unknown) => {
    throw new S3Error(
      `s3://${location.bucket}/${location.prefix}: ${error instanceof Error ? error.message : error}`,
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of ~/.aws, or run where a role is attached',
      error,
    );
  });
  const signer = new SignatureV4({ credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false });
  const url = folderUrl(location, region, server);
  return {
    url,
    async sign(path) {
      const { headers } = await signer.sign({
        method: 'GET',
        protocol: url.protocol,
        hostname: url.hostname,
        path,
        headers: { host: url.host, 'x-amz-content-sha256': EMPTY_SHA256 },
      });
      const { host: _, ...signature } = headers;
      return signature;
    },
  };
}

async function loadPackages() {
  try {
    const [{ defaultProvider }, config, { Sha256 }, { SignatureV4 }] = await Promise.all([
      import('@aws-sdk/credential-provider-node'),
      import('@smithy/core/config'),
      import('@smithy/core/checksum'),
      import('@smithy/signature-v4'),
    ]);
    return { defaultProvider, config, Sha256, SignatureV4 };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new S3Error(`buckets need ${S3_PACKAGES.join(', ')}: ${reason}`, installCommand(S3_PACKAGES), error);
  }
}

/** The endpoint of the environment or the profile (AWS SDKs and Tools Reference, "Service-specific endpoints"). */
async function configuredEndpoint({
  booleanSelector,
  loadConfig,
  SelectorType,
}: typeof import('@smithy/core/config')): Promise<string | undefined> {
  const isIgnored = await loadConfig({
    environmentVariableSelector: (env) => booleanSelector(env, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', SelectorType.ENV),
    configFileSelector: (profile) => booleanSelector(profile, 'ignore_configured_endpoint_urls', SelectorType.CONFIG),
    default: false,
  })();
  if (isIgnored) return undefined;
  return loadConfig<string | undefined>({
    environmentVariableSelector: (env) => env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'],
    configFileSelector: (profile, file) =>
      file?.[`services.${profile['services']}`]?.['s3.endpoint_url'] || profile['endpoint_url'],
    default: undefined,
  })();
}

/**
 * The URL of a folder. Buckets of AWS have host names, except those whose names a certificate does not cover; those of
 * other servers are paths, as some have no host name for each bucket.
 */
function folderUrl({ bucket, prefix }: S3Location, region: string, endpoint: string | undefined): URL {
  const folder = prefix.split('/').map(encoded).join('/');
  if (endpoint !== undefined) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${folder}`);
  const domain = DOMAINS.find(([regions]) => region.startsWith(regions))?.[1] ?? 'amazonaws.com';
  const host = `s3.${region}.${domain}`;
  return new URL(
    /^[a-z0-9-]+$/.test(bucket) ? `https://${bucket}.${host}/${folder}` : `https://${host}/${bucket}/${folder}`,
  );
}

/** A segment of a path as signatures have it: all is encoded but letters, digits and `-._~`. */
function encoded(segment: string): string {
  const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(segment).replaceAll(/[!'()*]/g, percent);
}
