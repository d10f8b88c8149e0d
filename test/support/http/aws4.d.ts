// What the tests use of aws4, which ships no types.
declare module 'aws4' {
  interface SignedRequest {
    service: string;
    region: string;
    method: string;
    path: string;
    host: string;
    headers: Record<string, string>;
    doNotModifyHeaders: boolean;
    extraHeadersToInclude: Record<string, boolean>;
  }
  class RequestSigner {
    constructor(request: SignedRequest, credentials: { accessKeyId: string; secretAccessKey: string });
    datetime: string;
    authHeader(): string;
  }
  const aws4: { RequestSigner: typeof RequestSigner };
  export = aws4;
}
