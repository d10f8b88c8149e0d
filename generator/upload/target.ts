// Where releases are uploaded to: the interface of s3-target.ts and folder-target.ts.
import type { Content } from './content.ts';

/** A file that the target has. */
export interface StoredFile {
  bytes: number;
  /** In hex; undefined if the target does not know it without reading the file. */
  md5: string | undefined;
}

/** A bucket or a folder. Paths are those of the output folder. */
export interface Target {
  /** For messages. */
  name: string;
  /** Every file below a folder, by path. */
  list(folder: string): Promise<Map<string, StoredFile>>;
  /** The ids of the releases of which it has files. */
  releases(): Promise<string[]>;
  /** Compares a file with one that the target may have; `list` was not enough. */
  has(content: Content): Promise<boolean>;
  /** Writes a file, as a whole or not at all. */
  put(content: Content): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes everything durable that was written before. */
  sync(): Promise<void>;
  /** Ends its connections. */
  close(): void;
}

/** What is chosen about a target. */
export interface TargetOptions {
  /** URL of an S3 server other than AWS. */
  endpoint: string | undefined;
  /** Files that are written side by side. */
  concurrency: number;
}
