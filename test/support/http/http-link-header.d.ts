// What the tests use of http-link-header, which ships no types.
declare module 'http-link-header' {
  class LinkHeader {
    static parse(value: string): LinkHeader;
    readonly refs: { uri: string; rel: string }[];
  }
  export = LinkHeader;
}
