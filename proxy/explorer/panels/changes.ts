// What changed in this release: a card that opens, with counts and the table.
import type { Change } from '../api/changes.ts';
import { count } from '../api/texts.ts';
import { make, makeButton, makeFacts, part } from './elements.ts';

/**
 * @param actions.read asked when the card is opened
 * @param actions.save saves the table
 */
export function wireChanges(
  {
    read,
    save,
    onError,
  }: { read: () => Promise<Change | undefined>; save: (change: Change) => void; onError: (error: unknown) => void },
  signal: AbortSignal,
) {
  const card = part('changes', HTMLDetailsElement);
  card.open = false;
  const fill = async () => {
    part('changes-list').replaceChildren(make('p', 'note', 'Loading the changes…'));
    try {
      const change = await read();
      part('changes-list').replaceChildren(
        ...(change === undefined ? [make('p', 'note', NONE)] : contentOf(change, save)),
      );
    } catch (error) {
      card.open = false;
      if (!signal.aborted) onError(error);
    }
  };
  card.addEventListener('toggle', () => card.open && void fill(), { signal });
}

const NONE = 'The publisher of this release has not said what changed in it.';

function contentOf(change: Change, save: (change: Change) => void) {
  const counts = Object.entries(change.counts);
  const saving = makeButton('Save as CSV', () => save(change));
  return [
    make('p', 'note', `Since ${change.from}`),
    counts.length === 0
      ? make('p', '', 'No unit has changed.')
      : makeFacts(counts.map(([name, rows]) => [name, count(rows)])),
    make('div', 'actions', saving),
  ];
}
