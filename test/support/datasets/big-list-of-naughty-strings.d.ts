// The list ships no types.
declare module 'big-list-of-naughty-strings' {
  const strings: readonly string[];
  export = strings;
}
