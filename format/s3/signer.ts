// Signs requests for the files of a bucket (AWS Signature Version 4): the only file that loads @smithy/signature-v4, the
// signer of the official client. Signing takes a tenth of the time of a request by the client itself. Used by the
// origin of the proxy.
import { hash } from 'node:crypto';
import { missingS3Packages, openBucket } from './client.ts';
import type { S3Location } from './location.ts';

/** SHA-256 of a body without content, in hex. */
const EMPTY_SHA256 = hash('sha256', '', 'hex');

/** A folder in a bucket whose files can be requested with signed requests. */
export interface SignedBucket {
  /** URL of the folder; ends in a slash. */
  url: URL;
  /**
   * The headers that sign a GET request without a body.
   * @param path encoded path of the URL
   * @throws an error of the AWS client if credentials cannot be renewed
   */
  sign(path: string): Promise<Readonly<Record<string, string>>>;
}

/**
 * Finds region, credentials and endpoint of a bucket; credentials are renewed before they expire.
 * @param endpoint as for `openBucket`
 * @throws S3Error
 */
export async function openSignedBucket(location: S3Location, endpoint: string | undefined): Promise<SignedBucket> {
  const { client, url, region } = await openBucket(location, { endpoint, connections: 1 });
  const { SignatureV4 } = await import('@smithy/signature-v4').catch((error: unknown) => {
    throw missingS3Packages(error);
  });
  const { credentials, sha256 } = client.config;
  const signer = new SignatureV4({ credentials, region, service: 's3', sha256, uriEscapePath: false });
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
