// The levels below what is opened: which one is listed, as buttons.
import { count } from '../api/texts.ts';
import { levelsBelow } from '../state/levels-below.ts';
import { isSpot, selection } from '../state/place.ts';
import type { Visit } from '../state/visit.ts';

export function Levels({ visit }: { visit: Visit }) {
  const { shown, about } = visit;
  const place = shown.place.value;
  const below = levelsBelow(shown, about.levels);
  const choose = (level: number) => {
    if (isSpot(place)) visit.push({ ...place, level, ...selection(undefined) });
    else visit.open(shown.lineage.value.at(-1), level);
  };
  if (below.length < 2) return null;
  return (
    <fieldset id="levels" class="levels" aria-label="Units listed">
      {below.map(({ level, title, units }) => (
        <button key={level} type="button" aria-pressed={level === place.level} onClick={() => choose(level)}>
          {title}
          {units !== undefined && <span class="number">{count(units)}</span>}
        </button>
      ))}
    </fieldset>
  );
}
