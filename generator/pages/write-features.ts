// Writes feature files: every feature is one gzip member, in order of position.
import { featureRecord } from '../../format/feature-index.ts';
import { deflateText, joinMember, sumOf } from '../../format/gzip-members.ts';
import { createOutputFile, type WrittenFile } from '../release/output-file.ts';
import type { StoredFeature, StoreReader } from '../store/feature-store.ts';

/** What was written, and the index records of its features, joined. */
export interface WrittenFeatureFile extends WrittenFile {
  records: Buffer;
}

/** Writes the features at positions `first` up to but not including `end`. */
export function writeFeatureFile(file: string, first: number, end: number, store: StoreReader): WrittenFeatureFile {
  const output = createOutputFile(file);
  const records: Buffer[] = [];
  for (const feature of store.read([first, end - first])) {
    const deflated = deflatedOf(feature);
    const member = joinMember([deflated]);
    output.write(member);
    records.push(featureRecord(member, deflated));
  }
  return { ...output.close(), records: Buffer.concat(records) };
}

function deflatedOf({ bytes, deflated }: StoredFeature) {
  return deflated ? { data: bytes, ...deflated } : { data: deflateText(bytes), ...sumOf(bytes) };
}
