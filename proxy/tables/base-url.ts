// The address of a service, however it is written.

/** The base URL of a service without a slash at the end: any path of its API means the same. */
export function baseUrlOf(url: string): string {
  return url.replace(/\/api\/v1(\/.*)?$/, '').replace(/\/+$/, '');
}
