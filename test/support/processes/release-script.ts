// The script that publishes releases unattended, with settings of a test's own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCountries } from '../datasets/small-datasets.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Ended, runProgram } from './programs.ts';
import { GENERATOR } from './run-generator.ts';

export const RELEASE_SCRIPT = 'proxy/examples/operations/release.sh';

/** Settings of the script, and the folders that they name. */
export interface ReleaseRun {
  output: string;
  metrics: string;
  /** The file of settings. */
  file: string;
  /** Changes settings. */
  set(settings: Readonly<Record<string, string>>): void;
  /** Runs the script to its end. */
  run(...args: string[]): Promise<Ended>;
}

/** Settings for a folder of their own, whose releases are built of the countries. */
export function releaseRun(source: string = writeCountries()): ReleaseRun {
  const home = temporaryFolder();
  const [output, metrics, file] = ['output', 'metrics', 'release.conf'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [output, metrics]) mkdirSync(folder);
  const config = join(home, 'build.json');
  const options = { source: [source], pages: 'none', geometry: ['full'], tiles: 'none', workers: 0 };
  writeFileSync(config, JSON.stringify({ ...options, cells: false, neighbours: false }));
  let known: Readonly<Record<string, string>> = {
    output,
    metrics,
    config,
    keep: '2',
    generator: `${process.execPath} ${GENERATOR}`,
    verify_options: '--workers 0',
  };
  const set = (settings: Readonly<Record<string, string>>): void => {
    known = { ...known, ...settings };
    writeFileSync(
      file,
      Object.entries(known)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(''),
    );
  };
  set({});
  return { output, metrics, file, set, run: (...args) => runProgram('sh', [RELEASE_SCRIPT, file, ...args]) };
}
