// current.json as a test wants it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentFromJson } from '../../../format/current-json.ts';
import { CURRENT_PATH, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { currentToJson } from '../../../format/write/texts.ts';
import { sha256 } from '../files.ts';

/** Writes current.json of an output folder, with the digests that the files of the hosted releases have now. */
export function pointTo(out: string, release: string, hosted: readonly string[] = [release]): void {
  const digestOf = (id: string): string => sha256(readFileSync(join(out, releasePath(id), RELEASE_FILE)));
  const digests = new Map(hosted.map((id) => [id, digestOf(id)]));
  writeFileSync(join(out, CURRENT_PATH), currentToJson({ release, hosted, digests }));
}

/** That current.json is what `pointTo` writes. */
export function assertPointsTo(out: string, release: string, hosted: readonly string[]): void {
  const text = readFileSync(join(out, CURRENT_PATH), 'utf8');
  pointTo(out, release, hosted);
  assert.equal(text, readFileSync(join(out, CURRENT_PATH), 'utf8'));
}

/** Writes current.json anew, if there is one, after a release.json was changed. */
export function pointAgain(out: string): void {
  if (!existsSync(join(out, CURRENT_PATH))) return;
  const { release, hosted } = currentFromJson(readFileSync(join(out, CURRENT_PATH), 'utf8'), CURRENT_PATH);
  pointTo(out, release, hosted);
}
