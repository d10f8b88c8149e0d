// Whatever releases clients name while an operator points to others, files are damaged and time passes: which release
// each gets, which are loaded again and which leave memory is what a model says, after each step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { FormatError } from '../../../format/parse.ts';
import { currentToJson, releaseToJson } from '../../../format/write/texts.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { describedRelease, type LoadRelease } from '../../../proxy/data/loaded-release.ts';
import { Problem } from '../../../proxy/http/problem.ts';
import type { Origin } from '../../../proxy/origin/origin.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { sha256 } from '../../support/files.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { seedsOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RUNS = 300;
const IDS = Array.from({ length: 12 }, (_, i) => `r${i}`);
const [LOOK_MS, RETRY_MS, HOLD_MS, DAMAGED_MS, UNUSED_MS] = [250, 5000, 10_000, 30_000, 300_000];
const TIMES = [1, RETRY_MS, HOLD_MS - 1, HOLD_MS, DAMAGED_MS, UNUSED_MS - 1, UNUSED_MS];
const [OF_CLIENT, OF_ALL] = [2, 8];

type Step =
  | { name: string; client: string }
  | { pass: number }
  | { point: string; hosted: readonly string[] }
  | { damage: string }
  | { isReadable: boolean };

/** What current.json says. */
interface PointerFile {
  isReadable: boolean;
  current: string;
  hosted: string[];
}

/** A release in memory, or one that could not be loaded, until when. */
interface Kept {
  since: number;
  used: number;
  owner: string | undefined;
  isShared: boolean;
  failedUntil: number | undefined;
}

/** What is in memory, the least recently used first; what was loaded, and what has left. */
class Model {
  now = 1;
  pointer = { current: 'r0', hosted: ['r0'] };
  served = '';
  hasTried = false;
  readonly damaged = new Set<string>();
  readonly kept = new Map<string, Kept>();
  readonly loads: string[] = [];
  readonly freed: string[] = [];

  free(id: string): void {
    if (this.kept.delete(id)) this.freed.push(id);
  }

  use(id: string): Kept | undefined {
    const kept = this.kept.get(id);
    if (kept === undefined) return undefined;
    kept.used = this.now;
    this.kept.delete(id);
    this.kept.set(id, kept);
    return kept;
  }

  freeUnused(): void {
    this.use(this.served);
    for (const [id, { used }] of [...this.kept]) if (this.now - used >= UNUSED_MS) this.free(id);
  }

  others(isMeant: (kept: Kept) => boolean): string[] {
    return [...this.kept].flatMap(([id, kept]) =>
      id !== this.served && kept.failedUntil === undefined && isMeant(kept) ? [id] : [],
    );
  }

  isHosted(id: string): boolean {
    return this.pointer.hosted.includes(id) || (this.hasTried && id === this.served);
  }

  /** @returns the seconds after which a client may try again, if there is no room */
  makeRoom(client: string): number | undefined {
    this.freeUnused();
    const own = this.others(({ owner, isShared }) => owner === client && !isShared);
    const all = this.others(() => true);
    const full = own.length >= OF_CLIENT ? own : all.length >= OF_ALL ? all : undefined;
    const ageOf = (id: string): number => this.now - (this.kept.get(id)?.since ?? 0);
    const oldest = full?.find((id) => ageOf(id) >= HOLD_MS);
    if (oldest !== undefined) this.free(oldest);
    else if (full !== undefined) return Math.ceil((HOLD_MS - Math.max(...full.map(ageOf))) / 1000);
    return undefined;
  }

  load(id: string, client?: string): string | undefined {
    const known = this.use(id);
    if (known !== undefined && known.failedUntil === undefined) return undefined;
    if (known?.failedUntil !== undefined && this.now < known.failedUntil) return 'damaged';
    const seconds = client === undefined ? undefined : this.makeRoom(client);
    if (seconds !== undefined) return `try again in ${seconds} s`;
    this.loads.push(id);
    const waitMs = id === this.pointer.current ? RETRY_MS : DAMAGED_MS;
    const failedUntil = this.damaged.has(id) ? this.now + waitMs : undefined;
    this.kept.delete(id);
    this.kept.set(id, { since: this.now, used: this.now, owner: client, isShared: false, failedUntil });
    return failedUntil === undefined ? undefined : 'damaged';
  }

  serve(): string | undefined {
    const { current } = this.pointer;
    if (this.served === current) return undefined;
    this.hasTried = true;
    const problem = this.load(current);
    if (problem !== undefined) return problem;
    const previous = this.kept.get(this.served);
    const before = this.served;
    this.served = current;
    if (previous === undefined) return undefined;
    previous.since = this.now;
    if (!this.isHosted(before)) this.free(before);
    for (const id of this.others(({ owner }) => owner === undefined).slice(0, -OF_CLIENT)) this.free(id);
    return undefined;
  }

  point(current: string, hosted: string[]): void {
    this.pointer = { current, hosted };
    this.hasTried = false;
    for (const kept of this.kept.values()) if (kept.failedUntil !== undefined) kept.failedUntil = 0;
    for (const id of this.others(() => true)) if (!hosted.includes(id)) this.free(id);
  }

  /** Reads current.json. */
  look({ isReadable, current, hosted }: PointerFile): string | undefined {
    if (!isReadable) return 'damaged';
    if (current !== this.pointer.current || hosted.join() !== this.pointer.hosted.join()) this.point(current, hosted);
    return undefined;
  }

  /** @returns the current release, if it is another one than before */
  refresh(file: PointerFile): string | undefined {
    this.freeUnused();
    const before = this.served;
    return this.look(file) ?? this.serve() ?? (this.served === before ? undefined : this.served);
  }

  named(id: string, client: string, file: PointerFile): string {
    const unknown = this.isHosted(id) ? undefined : this.look(file);
    if (unknown !== undefined || !this.isHosted(id)) return unknown ?? 'release-gone';
    const problem = id === this.pointer.current ? this.serve() : this.load(id, client);
    if (problem !== undefined) return problem;
    const kept = id === this.served ? this.kept.get(id) : this.use(id);
    assert.ok(kept);
    kept.owner ??= client;
    kept.isShared ||= kept.owner !== client;
    return id;
  }
}

const described = await buildUnchecked(writeCountries(), temporaryFolder());
const TEXTS = new Map(IDS.map((release) => [release, releaseToJson({ ...described, release })]));
const DIGESTS = new Map([...TEXTS].map(([id, text]) => [id, sha256(text)]));

/** The releases of files in memory, beside a model of them. */
function releasesBeside(model: Model) {
  const file: PointerFile = { isReadable: true, current: 'r0', hosted: ['r0'] };
  const [loads, freed]: [string[], string[]] = [[], []];
  const idOf = (path: string): string => path.split('/')[1] ?? assert.fail(path);
  const origin: Origin = {
    async read(path) {
      if (path !== CURRENT_PATH) {
        loads.push(idOf(path));
        const text = TEXTS.get(idOf(path)) ?? assert.fail(path);
        return Buffer.from(model.damaged.has(idOf(path)) ? text.replace('version', 'Version') : text);
      }
      const { current: release, hosted } = file;
      const digests = new Map(hosted.map((id) => [id, DIGESTS.get(id) ?? '']));
      return Buffer.from(file.isReadable ? currentToJson({ release, hosted, digests }) : '{');
    },
    close: (path) => void freed.push(idOf(path)),
  };
  const load: LoadRelease = async (_, description) =>
    describedRelease(description, { get: () => undefined, load: () => assert.fail(), freeUnused() {} });
  return { file, loads, freed, releases: new Releases(origin, { now: () => model.now, load }) };
}

/** What a client gets: an id, or why not. */
async function resultOf(asked: Promise<{ id: string } | string | undefined>): Promise<string | undefined> {
  try {
    const got = await asked;
    return typeof got === 'object' ? got.id : got;
  } catch (error) {
    if (!(error instanceof Problem)) return error instanceof FormatError ? 'damaged' : assert.fail(String(error));
    return error.code === 'not-ready' ? `try again in ${error.headers['Retry-After']} s` : error.code;
  }
}

const id = fc.constantFrom(...IDS);
const naming = fc.record({ name: id, client: fc.constantFrom(...'abcde') });
const pointing = fc.record({ point: id, hosted: fc.subarray(IDS, { minLength: 6 }) });
const others = [
  fc.record({ pass: fc.constantFrom(...TIMES) }),
  fc.record({ damage: id }),
  fc.record({ isReadable: fc.boolean() }),
];
const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof(naming, naming, naming, naming, pointing, ...others), {
  minLength: 10,
  maxLength: 80,
});

test('whatever releases clients name while others are published, damaged and forgotten, each gets what a model says', async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    const model = new Model();
    const { file, loads, freed, releases } = releasesBeside(model);
    for (const step of [{ point: 'r0', hosted: IDS }, ...all]) {
      if ('pass' in step) model.now += step.pass;
      else if ('damage' in step) {
        // It is repaired with the next one.
        if (!model.damaged.delete(step.damage)) model.damaged.add(step.damage);
      } else if ('isReadable' in step) file.isReadable = step.isReadable;
      else if ('point' in step) {
        Object.assign(file, { current: step.point, hosted: [...new Set([step.point, ...step.hosted])] });
        assert.equal(await resultOf(releases.refresh()), model.refresh(file));
      } else {
        // A look at current.json waits for the last one.
        model.now += LOOK_MS;
        const asked = releases.load({ release: step.name, content: '' }, step.client);
        assert.equal(await resultOf(asked), model.named(step.name, step.client, file));
      }
      assert.deepEqual([releases.current?.id, loads], [model.served, model.loads]);
      assert.deepEqual(freed.sort(), model.freed.sort());
    }
  });
  for (const seed of seedsOf(1)) await fc.assert(property, { numRuns: RUNS, seed, includeErrorInReport: true });
});
