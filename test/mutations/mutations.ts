// Broken rules, and the test file that must notice each: one for each part of the suite in which cases were thinned
// out, and some of the promises (PROMISES.md). What replaces a text is the smallest mistake somebody could make there.

/** A rule that is broken by another text in one place. */
export interface Mutation {
  /** What no longer holds. */
  rule: string;
  /** A file of the product, and a text that stands in it once. */
  file: string;
  from: string;
  to: string;
  /** The test file that must fail. */
  test: string;
}

export const MUTATIONS: readonly Mutation[] = [
  // Promises.
  {
    rule: 'a page has at most as many features as the cap',
    file: 'proxy/features/pages/resolve.ts',
    from: 'Math.min(asked, cap)',
    to: 'asked',
    test: 'test/contract/answers.test.ts',
  },
  {
    rule: 'next when and only when more features match',
    file: 'proxy/features/pages/next-link.ts',
    from: 'if (rank >= positions.count) return undefined;',
    to: 'if (rank > positions.count) return undefined;',
    test: 'test/contract/requests.test.ts',
  },
  {
    rule: '304 for any entity tag where If-None-Match is *',
    file: 'proxy/bodies/conditions.ts',
    from: "tag === '*' || tag === etag || tag ===",
    to: 'tag === etag || tag ===',
    test: 'test/contract/every-answer.test.ts',
  },
  {
    rule: 'filters are combined by AND',
    file: 'proxy/features/pages/resolve.ts',
    from: 'sets.reduce(intersect)',
    to: 'sets.reduce((set) => set)',
    test: 'test/contract/requests.test.ts',
  },
  {
    rule: 'a cursor that was changed is refused',
    file: 'format/cursor.ts',
    from: 'bytes.readUInt32BE(body.length) !== crc32(body) || ',
    to: '',
    test: 'test/contract/answers.test.ts',
  },
  {
    rule: 'the token is checked before anything else, of OPTIONS too',
    file: 'proxy/handler/handler.ts',
    from: `  if (isPreflight(request)) return PREFLIGHT_ANSWER;
  const { principals`,
    to: `  if (request.method === 'OPTIONS') return PREFLIGHT_ANSWER;
  const { principals`,
    test: 'test/contract/errors.test.ts',
  },
  {
    rule: 'answers with tokens are private behind a cursor',
    file: 'proxy/bodies/headers.ts',
    from: "pinned: 'private, max-age=31536000, immutable'",
    to: "pinned: 'public, max-age=31536000, immutable'",
    test: 'test/contract/answers.test.ts',
  },
  {
    rule: 'start-at begins with the first feature whose fid is the same or higher',
    file: 'proxy/features/pages/resolve.ts',
    from: 'positions.rankOf(index.positionOf(start.fid))',
    to: 'positions.rankOf(index.positionOf(start.fid + 1))',
    test: 'test/contract/requests.test.ts',
  },
  // The parts of the suite with fewer cases.
  {
    rule: 'each origin answers as the directory: a service for everybody has its own caching',
    file: 'proxy/bodies/headers.ts',
    from: "current: 'public, max-age=60, stale-while-revalidate=600'",
    to: "current: 'public, max-age=61, stale-while-revalidate=600'",
    test: 'test/contract/comparison.test.ts',
  },
  {
    rule: 'a wrong command line ends with exit code 2',
    file: 'format/command-line/run-program.ts',
    from: 'const USAGE_EXIT_CODE = 2;',
    to: 'const USAGE_EXIT_CODE = 1;',
    test: 'test/format/command-line/as-typed.ci.ts',
  },
  {
    rule: 'verify compares each file with its digest',
    file: 'generator/verify/files.ts',
    from: 'listed !== undefined && listed !== sha256',
    to: "listed !== undefined && listed === ''",
    test: 'test/generator/verify/verify.test.ts',
  },
  {
    rule: 'verify compares features with the digests of their tables',
    file: 'generator/verify/files.ts',
    from: "hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES).equals(digest)",
    to: 'true',
    test: 'test/generator/verify/indexes.test.ts',
  },
  {
    rule: 'a border between the corner of a cell and a point is crossed',
    file: 'format/grid.ts',
    from: 'if (area !== 0n) return area > 0n;',
    to: 'if (area !== 0n) return area < 0n;',
    test: 'test/generator/borders/cells.test.ts',
  },
  {
    rule: 'a stored page has as many features as the cap',
    file: 'generator/plan/plan.ts',
    from: 'positions.slice(page * cap, Math.min(cap, positions.count - page * cap))',
    to: 'positions.slice(page * cap, Math.min(cap - 1, positions.count - page * cap))',
    test: 'test/proxy/bodies/slices.test.ts',
  },
  {
    rule: 'bytes of a damaged file are never sent as if they were whole',
    file: 'format/feature-table.ts',
    from: 'return crc32(data, this.crcBefore(first)) === this.crcBefore(end);',
    to: 'return crc32(data, this.crcBefore(first)) >= 0 || this.crcBefore(end) >= 0;',
    test: 'test/proxy/bodies/damage.test.ts',
  },
  {
    rule: 'what is held for clients that do not read is bounded',
    file: 'proxy/guards/slow-clients.ts',
    from: 'if (held >= clientBytes) throw overloaded();',
    to: '',
    test: 'test/proxy/guards/guards.test.ts',
  },
  {
    rule: 'what a token gets is kept by no shared cache',
    file: 'proxy/bodies/headers.ts',
    from: "current: 'private, no-cache'",
    to: "current: 'public, max-age=60'",
    test: 'test/clients/shared-caches.ci.ts',
  },
  {
    rule: 'current.json is replaced as a whole',
    file: 'generator/release/current-file.ts',
    from: 'const temporary = temporaryPath(out);',
    to: 'const temporary = join(out, CURRENT_PATH);',
    test: 'test/generator/release/failing-writes.test.ts',
  },
  {
    rule: 'units that get other fids are a finding',
    file: 'generator/read/read-layers.ts',
    from: 'if (fid !== sourceFid) this.#findings.add(',
    to: 'if (fid === -1) this.#findings.add(',
    test: 'test/generator/source/layers.test.ts',
  },
  {
    rule: 'the format is what its specification says',
    file: 'format/crc32.ts',
    from: "const SWAP = crc32(',') ^ crc32('\\n');",
    to: "const SWAP = crc32(';') ^ crc32('\\n');",
    test: 'test/format/specification.test.ts',
  },
  {
    rule: 'a token for another audience is refused',
    file: 'proxy/auth/authenticate.ts',
    from: '    audience: rules.audience,\n',
    to: '',
    test: 'test/proxy/auth/tokens.test.ts',
  },
  {
    rule: 'a token without a type that is known is refused',
    file: 'proxy/auth/authenticate.ts',
    from: "return 'type';",
    to: "typ === undefined ? undefined : 'type';",
    test: 'test/proxy/auth/tokens.test.ts',
  },
  {
    rule: 'the explorer finds what one types',
    file: 'proxy/explorer/api/search.ts',
    from: 'encode(q)',
    to: 'encode(q.slice(1))',
    test: 'test/explorer/page/search-and-download.test.ts',
  },
  {
    rule: 'the proxy does not import the generator',
    file: 'proxy/features/pages/resolve.ts',
    from: "import type { Start } from './page-parameters.ts';",
    to: "import '../../../generator/report/errors.ts';\nimport type { Start } from './page-parameters.ts';",
    test: 'test/repository/imports.test.ts',
  },
  // The properties, models and tables of cases that took the place of many examples.
  {
    rule: 'units that share a border have different colours',
    file: 'generator/tiles/colours.ts',
    from: '((taken >> colour) & 1) === 1',
    to: '((taken >> colour) & 1) === 2',
    test: 'test/generator/tiles/colours.test.ts',
  },
  {
    rule: 'neighbours have the metres of the border that they share',
    file: 'generator/borders/neighbours.ts',
    from: '(pairs.get(pair) ?? 0) + metres',
    to: '(pairs.get(pair) ?? 0) + 1.1 * metres',
    test: 'test/generator/topology/partitions.test.ts',
  },
  {
    rule: 'a current.json whose release is not hosted is refused',
    file: 'format/current-json.ts',
    from: 'if (!hosted.includes(release)) throw',
    to: "if (release === '') throw",
    test: 'test/format/format.test.ts',
  },
  {
    rule: 'a manifest with another number of features than release.json is refused',
    file: 'format/manifest.ts',
    from: "expectNumber(json, 'features', expected.features, file);",
    to: '',
    test: 'test/format/manifest.test.ts',
  },
  {
    rule: 'prune removes nothing that was made current while it waited',
    file: 'generator/release/manage.ts',
    from: 'old.filter((id) => published.includes(id) && !hosted.includes(id))',
    to: 'old.filter((id) => published.includes(id) || hosted.includes(id))',
    test: 'test/generator/release/manage-model.test.ts',
  },
  {
    rule: 'the release that is served never leaves memory',
    file: 'proxy/data/hosted-releases.ts',
    from: 'if (this.#current !== undefined) this.#loaded.get(this.#current.release.digest);',
    to: '',
    test: 'test/proxy/data/served-releases-model.test.ts',
  },
  {
    rule: 'units have the fids of a column fid',
    file: 'generator/source/fid-column.ts',
    from: 'if (haveFids(layers)) return',
    to: 'if (layers.length === 0) return',
    test: 'test/generator/source/columns.test.ts',
  },
  {
    rule: 'a CRS that a GeoPackage declares where nothing is known is none',
    file: 'generator/gdal/crs.ts',
    from: 'srs.isLocal() || UNDEFINED.test(titleOf(srs))',
    to: 'srs.isLocal()',
    test: 'test/generator/source/coordinates.test.ts',
  },
  {
    rule: 'an encoding is advised with two names as it reads them',
    file: 'generator/source/encodings.ts',
    from: 'const SHOWN_NAMES = 2;',
    to: 'const SHOWN_NAMES = 1;',
    test: 'test/generator/source/formats.test.ts',
  },
  {
    rule: 'a refusal of a column that is no code of its own says how it is composed',
    file: 'generator/advice/advise.ts',
    from: '; compose it: --gid-column ',
    to: '; compose it: ',
    test: 'test/generator/source/advice.test.ts',
  },
  {
    rule: 'texts that are given take the place of known credits',
    file: 'generator/options/attribution.ts',
    from: '...(named.length > 0 ? [] : owners.flatMap',
    to: '...(named.length > 9 ? [] : owners.flatMap',
    test: 'test/generator/source/datasets.test.ts',
  },
  {
    rule: 'a language that is asked for is taken',
    file: 'generator/source/asked-columns.ts',
    from: 'asked.includes(ALL) || asked.includes(tag) ||',
    to: 'asked.includes(ALL) ||',
    test: 'test/generator/source/languages.test.ts',
  },
  {
    rule: 'zip archives are read as they are downloaded',
    file: 'generator/source/expand-source.ts',
    from: "  ['.zip', '/vsizip/'],\n",
    to: '',
    test: 'test/generator/source/layers.test.ts',
  },
];
