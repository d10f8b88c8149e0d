// What changed in this release: a card that opens, with counts and the table.
import { useSignal } from '@preact/signals';
import { type Change, readChange } from '../api/changes.ts';
import { count } from '../api/texts.ts';
import { type Fact, FactList } from '../controls/fact-list.tsx';
import type { Visit } from '../state/visit.ts';

const NONE = 'The publisher of this release has not said what changed in it.';

export function Changes({ visit }: { visit: Visit }) {
  const read = useSignal<{ change: Change | undefined } | undefined>(undefined);
  const { about, client, signal } = visit;
  if (!about.changes || !visit.shown.isWorld) return null;
  const fill = async (card: HTMLDetailsElement) => {
    if (!card.open) return;
    try {
      read.value = { change: await readChange(client, about.release, signal) };
    } catch (error) {
      card.open = false;
      visit.fail(error);
    }
  };
  return (
    <details id="changes" class="changes" onToggle={({ currentTarget }) => void fill(currentTarget)}>
      <summary>What changed in this release</summary>
      <div id="changes-list" role="status">
        {read.value === undefined && <p class="note">Loading the changes…</p>}
        {read.value && read.value.change === undefined && <p class="note">{NONE}</p>}
        {read.value?.change && <Counts change={read.value.change} visit={visit} />}
      </div>
    </details>
  );
}

function Counts({ change, visit }: { change: Change; visit: Visit }) {
  const counts = Object.entries(change.counts).map(([name, rows]): Fact => [name, count(rows)]);
  return (
    <>
      <p class="note">Since {change.from}</p>
      {counts.length === 0 ? <p>No unit has changed.</p> : <FactList facts={counts} />}
      <div class="actions">
        <button type="button" onClick={() => visit.saveChanges(change)}>
          Save as CSV
        </button>
      </div>
    </>
  );
}
