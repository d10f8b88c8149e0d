// The address of a service, however it is written. Used by reader.ts, which browsers load too, and by options.ts.

/** The base URL of a service without a slash at the end: any path of its API means the same. */
export function baseUrlOf(url: string): string {
  return url.replace(/\/api\/v1(\/.*)?$/, '').replace(/\/+$/, '');
}
