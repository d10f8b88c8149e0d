// Errors of buckets: what is wrong, and what to do. The names are those of S3's error codes and of the AWS client. Used
// by client.ts, and by the upload of the generator.

/** An error of a bucket, of its credentials or of the client. */
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

const CREDENTIALS =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of ~/.aws, or run where a role is attached';
const REGION = 'set AWS_REGION to the region of the bucket, or --s3-endpoint to the URL of its server';
const KEYS = 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE), and that --s3-endpoint is right';
const NETWORK = 'check the network and --s3-endpoint, then run the command again: it continues';
const LATER = 'run the command again later, with a smaller --concurrency: it continues';
const SPACE = 'free space or raise the quota of the bucket, then run the command again: it continues';
const POLICY =
  'allow s3:ListBucket on the bucket and s3:GetObject on its objects; for upload also s3:PutObject, for --delete s3:DeleteObject';

/** What to do about an error, by its name, its code or its HTTP status. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['CredentialsProviderError', CREDENTIALS],
  ['TokenProviderError', CREDENTIALS],
  ['ExpiredToken', 'renew the credentials (aws sso login, or a new session token), then run the command again'],
  ['NoSuchBucket', 'create the bucket, or correct its name, AWS_REGION or --s3-endpoint'],
  ['InvalidAccessKeyId', KEYS],
  ['SignatureDoesNotMatch', KEYS],
  ['RequestTimeTooSkewed', 'set the clock of this machine'],
  ['PermanentRedirect', REGION],
  ['AuthorizationHeaderMalformed', REGION],
  ['SlowDown', LATER],
  ['QuotaExceeded', SPACE],
  ['XMinioStorageFull', SPACE],
  ['InsufficientStorage', SPACE],
  ['AccessDenied', POLICY],
  ['ECONNREFUSED', NETWORK],
  ['ECONNRESET', NETWORK],
  ['EPIPE', NETWORK],
  ['ENOTFOUND', NETWORK],
  ['EAI_AGAIN', NETWORK],
  ['ETIMEDOUT', NETWORK],
  ['TimeoutError', NETWORK],
  ['403', POLICY],
  ['301', REGION],
  ['429', LATER],
  ['500', LATER],
  ['502', LATER],
  ['503', LATER],
  ['504', LATER],
  ['507', SPACE],
]);

/**
 * An error of the AWS client as an S3Error; any other error is returned unchanged.
 * @param where the bucket, for the message
 */
export function explainS3Error(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || error instanceof S3Error) return error;
  const code = 'code' in error ? String(error.code) : '';
  const status = String(s3ErrorStatus(error) ?? '');
  const remedy = [error.name, code, status].map((name) => REMEDIES.get(name)).find((known) => known !== undefined);
  if (remedy === undefined) return error;
  const name = [code, error.name, status].find((known) => REMEDIES.has(known));
  const text = error.message === '' || error.message === 'UnknownError' ? `status ${status}` : error.message;
  return new S3Error(`${where}: ${text}${text.includes(String(name)) ? '' : ` (${name})`}`, remedy, error);
}

/** The HTTP status of the response that an error of the AWS client reports. */
export function s3ErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
