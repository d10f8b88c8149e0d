// Verifies a shard of a level's pages: their bytes against the checksums and the manifest, their text against the
// manifest, their features against the same features elsewhere. Runs in a child process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CHECKSUMS_FILE, manifestPath, pagePath, releasePath } from '../format/layout.ts';
import { FORMATS, type Format, FRAMES, type Level, PAGE_CAPS } from '../format/levels.ts';
import { listingsOf, pageStart } from '../format/listing.ts';
import { type Block, DIGEST_CHARS, digestFrom, type Manifest, manifestFromJson, pageCount } from '../format/manifest.ts';
import { type Runs, sliceRuns, valuesOf } from '../format/runs.ts';
import { isSystemError } from './failure.ts';
import { PageError } from './inflate.ts';
import { type OnLine, openPage, type PageFile, readBlocks, readStream } from './page-file.ts';
import { BLOCK_TEXT_BYTES } from './store.ts';
import { checkFeature, type Positions, positionsOf } from './verify-feature.ts';
