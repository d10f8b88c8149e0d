// Names the units that take long in a build, each once: with what its tasks measured.
import { type Level, levelName } from '../../format/levels.ts';
import { unitNames } from '../names/named-units.ts';
import type { Report } from '../report/progress.ts';
import type { UnitSeconds } from '../report/unit-clock.ts';
import { LevelStore } from '../store/level-store.ts';

/** From so many seconds on, of all its tasks together, a unit is named. */
const NAMED_SECONDS = 30;

/** The units of a build that take long. */
export class SlowUnits {
  readonly #report: Report;
  readonly #seconds = new Map<string, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** Takes what a task measured. @param store path of the level's store */
  add({ level, store }: { level: Level; store: string }, taken: UnitSeconds): void {
    for (const [position, seconds] of taken) {
      const key = `${level} ${position}`;
      const before = this.#seconds.get(key) ?? 0;
      this.#seconds.set(key, before + seconds);
      if (before >= NAMED_SECONDS || before + seconds < NAMED_SECONDS) continue;
      const unit = unitNames(new LevelStore(store).readIndex(), level)(position);
      this.#report.note(
        `${levelName(level)}: ${unit} takes more than ${NAMED_SECONDS} s by itself; with fewer vertices it takes less`,
      );
    }
  }
}
