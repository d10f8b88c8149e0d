// The commands for the releases of an output folder: list, activate, sign, prune and remove.
import type { GoneUnit } from '../../format/changes.ts';
import { GENERATOR } from '../../format/command-line/messages.ts';
import { levelName } from '../../format/levels.ts';
import {
  defineCommand,
  type GlobalOptions,
  NUMBER,
  OUT,
  printResult,
  RELEASE,
  SIGN_KEY,
  SIGN_TIME,
  TEXT,
  WORKERS,
} from '../cli/command.ts';
import { durationToMs, instant, releaseId, wholeNumber } from '../cli/parse-options.ts';
import { releaseTable } from '../cli/tables.ts';
import { withWorkers } from '../cli/with-workers.ts';
import {
  activateRelease,
  knownSuccessors,
  listReleases,
  pruneReleases,
  releasesToPrune,
  removeRelease,
} from '../release/manage.ts';
import { readSigningKey, signRelease } from '../release/sign.ts';
import { signedLater } from '../release/signed-later.ts';

const KEEP_MAX = 1_000_000;
/** Most units in a line. */
const LOST_SHOWN = 5;

export const listCommand = defineCommand({
  command: 'list',
  describe: 'list the releases of an output folder',
  builder: (args) => args.option('out', OUT).example('$0 list --json', 'list for a script'),
  async handler(argv) {
    const listed = listReleases(argv.out);
    printResult(argv, listed, releaseTable(listed));
  },
});

export const activateCommand = defineCommand({
  command: 'activate <release>',
  describe: 'make a release current; also rolls back to an old one',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('release', RELEASE)
      .option('sign-key', {
        ...SIGN_KEY,
        describe: 'private Ed25519 key (PEM) to sign the release anew with: services with --trusted-key go back to it',
      })
      .option('workers', WORKERS)
      .example('$0 activate gadm-4.1', 'roll back to gadm-4.1')
      .example('$0 activate gadm-4.1 --sign-key private.pem', 'roll back to gadm-4.1, where releases are signed'),
  async handler(argv) {
    const release = releaseId('activate', argv.release);
    if (argv.signKey !== undefined) await signIntact({ ...argv, key: argv.signKey }, release);
    await activateRelease(argv.out, release);
    const later = signedLater(argv.out, release);
    const text = [`release ${release} is current`];
    if (later !== undefined)
      text.push(
        `services with --trusted-key go on with ${later}, which was signed later; to go back there, too, sign ${release} anew: ${activateCall(argv.out, release)} --sign-key private.pem`,
      );
    printResult(argv, { current: release, ...(later !== undefined && { signedLater: later }) }, text.join('\n'));
  },
});

function activateCall(out: string, release: string): string {
  return [...GENERATOR, 'activate', release, ...(out === OUT.default ? [] : ['--out', out])].join(' ');
}

export const signCommand = defineCommand({
  command: 'sign <release>',
  describe: 'verify a release, then sign it, so that serve and verify can tell who made it',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('release', RELEASE)
      .option('key', { ...SIGN_KEY, demandOption: true })
      .option('time', SIGN_TIME)
      .option('workers', WORKERS)
      .example('$0 sign gadm-4.1 --key private.pem', 'then: serve --trusted-key public.pem'),
  async handler(argv) {
    const release = releaseId('sign', argv.release);
    const time = argv.time === undefined ? undefined : instant('--time', argv.time);
    await signIntact(argv, release, time);
    printResult(argv, { signed: release }, `release ${release} is signed`);
  },
});

/** Verifies a release and signs it. @param time as for `writeSignatures` */
async function signIntact(
  options: GlobalOptions & { out: string; key: string; workers: number },
  release: string,
  time?: string,
): Promise<void> {
  const key = readSigningKey(options.key);
  const { requireIntact } = await import('../verify/verify.ts');
  await withWorkers(options, (pool, report) => requireIntact(options.out, release, pool, report));
  await signRelease(options.out, release, key, time);
}

export const pruneCommand = defineCommand({
  command: 'prune',
  describe: 'remove old hosted releases; keeps the current one',
  builder: (args) =>
    args
      .option('out', OUT)
      .option('keep', { ...NUMBER, demandOption: true, describe: 'number of hosted releases to keep' })
      .option('grace', {
        ...TEXT,
        default: '10s',
        describe: 'time between the removal from current.json and that of the files, for responses in progress',
      })
      .option('keep-changes', {
        type: 'boolean',
        default: false,
        describe: 'keep the changes that lead to removed releases: units that went in them still have their successors',
      })
      .option('dry-run', { type: 'boolean', describe: 'only say which ones it removes' })
      .example('$0 prune --keep 2', 'keep two releases'),
  async handler(argv) {
    const { out, keepChanges: keepsChanges } = argv;
    const keep = wholeNumber('--keep', argv.keep, 1, KEEP_MAX);
    const before = knownSuccessors(out);
    const lostBy = (left: typeof before): GoneUnit[] =>
      [...before].filter(([key]) => !left.has(key)).map(([, unit]) => unit);
    if (argv.dryRun) {
      const old = releasesToPrune(out, keep);
      const lostSuccessors = lostBy(knownSuccessors(out, keepsChanges ? [] : old));
      const text = [
        old.length === 0 ? 'nothing to remove' : `to remove: ${old.join(', ')}`,
        ...lossText(lostSuccessors),
      ];
      printResult(argv, { removed: [], old, lostSuccessors }, `${text.join('\n')}\n\nNothing was removed.`);
      return;
    }
    const removed = await pruneReleases(out, keep, { graceMs: durationToMs('--grace', argv.grace), keepsChanges });
    const lostSuccessors = lostBy(knownSuccessors(out));
    const listed = listReleases(out);
    const damaged = listed.filter(({ damage }) => damage).map(({ release }) => release);
    const others = listed.filter(({ otherFormat }) => otherFormat).map(({ release }) => release);
    const unhosted = listed
      .filter(({ isHosted, units }) => !isHosted && units !== undefined)
      .map(({ release }) => release);
    const text = [removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`];
    if (unhosted.length > 0) text.push(`not hosted, not removed: ${unhosted.join(', ')}; remove ID removes one`);
    if (damaged.length > 0) text.push(`damaged, not removed: ${damaged.join(', ')}`);
    if (others.length > 0) text.push(`of another format, not removed: ${others.join(', ')}`);
    text.push(...lossText(lostSuccessors));
    printResult(argv, { removed, damaged, lostSuccessors }, text.join('\n'));
  },
});

export const removeCommand = defineCommand({
  command: 'remove <release>',
  describe: 'remove a release that is not hosted, such as one that was built for review',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('release', RELEASE)
      .option('keep-changes', { type: 'boolean', default: false, describe: 'keep the changes that lead to it' })
      .example('$0 remove gadm-4.2-review', 'list says which ones are not hosted'),
  async handler(argv) {
    const release = releaseId('remove', argv.release);
    await removeRelease(argv.out, release, argv.keepChanges);
    printResult(argv, { removed: [release] }, `release ${release} is removed`);
  },
});

/**
 * The line for units that are gone and have no successor any more; none if there are none.
 * @param remedy what keeps them
 */
export function lossText(lost: readonly GoneUnit[], remedy = '--keep-changes keeps them'): string[] {
  if (lost.length === 0) return [];
  const shown = lost.slice(0, LOST_SHOWN).map(({ level, gid }) => `${levelName(level)} ${gid}`);
  const count = lost.length.toLocaleString('en');
  return [`successors that the next \`changes\` no longer knows: ${count}, such as ${shown.join(', ')}; ${remedy}`];
}
