// What is beside the map while someone is signed in: two tabs, and on a phone the sheet that they are in.
import type { HTMLAttributes } from 'preact';
import { useRef } from 'preact/hooks';
import { HereCard } from '../here/here.tsx';
import { Changes } from '../list/changes.tsx';
import { LanguageChoice } from '../list/language-choice.tsx';
import { Levels } from '../list/levels.tsx';
import { Heading, Path, Purpose, RowsNote } from '../list/place-heading.tsx';
import { UnitList } from '../list/unit-list.tsx';
import { MessageBox } from '../messages/message-box.tsx';
import { Search } from '../search/search.tsx';
import { DownloadMenu } from '../share/download-menu.tsx';
import { RequestTab } from '../share/request.tsx';
import { page, SHEETS } from '../state/page.ts';
import type { Visit } from '../state/visit.ts';
import { TableTab } from '../table/table-tab.tsx';
import { Facts } from '../unit/facts.tsx';

export function Panel({ visit }: { visit: Visit }) {
  const closeCard = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape') return;
    if (document.activeElement?.closest('#here')) visit.closeHere();
    else if (visit.shown.selected.value !== undefined) visit.deselect();
  };
  return (
    <div id="workspace" class="workspace">
      <SheetHandle />
      <Tabs />
      <MessageBox />
      <TabPanel name="browse" onKeyDown={closeCard}>
        <Search visit={visit} />
        <HereCard visit={visit} />
        <div class="way">
          <Path visit={visit} />
          <LanguageChoice visit={visit} />
        </div>
        <div class="place">
          <Heading visit={visit} />
          <DownloadMenu visit={visit} />
        </div>
        <Purpose visit={visit} />
        <Changes key={visit.about.release} visit={visit} />
        <Levels visit={visit} />
        <UnitList visit={visit} />
        <RowsNote visit={visit} />
        <Facts visit={visit} />
      </TabPanel>
      <TabPanel name="request">
        <RequestTab visit={visit} />
      </TabPanel>
      <TabPanel name="table">
        <TableTab />
      </TabPanel>
    </div>
  );
}

/** What a tab shows, with keys of all that is in it. */
function TabPanel({ name, ...others }: HTMLAttributes<HTMLDivElement> & { name: typeof page.tab.value }) {
  const isHidden = page.tab.value !== name;
  return <div id={name} class={name} role="tabpanel" aria-labelledby={`tab-${name}`} hidden={isHidden} {...others} />;
}

const TABS = [
  { name: 'browse', title: 'Browse' },
  { name: 'request', title: 'Request' },
  { name: 'table', title: 'Table' },
] as const;

function Tabs() {
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    const at = TABS.findIndex(({ name }) => name === page.tab.value) + (event.key === 'ArrowLeft' ? -1 : 1);
    page.tab.value = TABS.at(at % TABS.length)?.name ?? 'browse';
    document.getElementById(`tab-${page.tab.value}`)?.focus();
  };
  return (
    <div id="tabs" class="tabs" role="tablist" aria-label="Views" onKeyDown={key}>
      {TABS.map(({ name, title }) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-controls={name}
          aria-selected={page.tab.value === name}
          tabIndex={page.tab.value === name ? 0 : -1}
          onClick={() => {
            page.tab.value = name;
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** So many pixels are a drag. */
const DRAG_PIXELS = 20;

/** Pulls the sheet of a phone to another height. */
function SheetHandle() {
  const pull = useRef({ startY: 0, isDragged: false });
  const move = (steps: number, isRound: boolean) => {
    const index = SHEETS.indexOf(page.sheet.value) + steps;
    const last = SHEETS.length - 1;
    page.sheet.value = SHEETS[isRound ? index % SHEETS.length : Math.min(last, Math.max(0, index))] ?? 'half';
  };
  return (
    <button
      id="sheet"
      type="button"
      class="sheet"
      aria-label={`Panel height: ${page.sheet.value}. Change`}
      onPointerDown={({ clientY, currentTarget, pointerId }) => {
        pull.current = { startY: clientY, isDragged: false };
        currentTarget.setPointerCapture(pointerId);
      }}
      onPointerUp={({ clientY }) => {
        const up = pull.current.startY - clientY;
        if (Math.abs(up) < DRAG_PIXELS) return;
        pull.current.isDragged = true;
        move(Math.sign(up), false);
      }}
      onClick={({ detail }) => {
        // The click that ends a drag moves nothing; one of a key, which has no detail, does.
        const { isDragged } = pull.current;
        pull.current.isDragged = false;
        if (!isDragged || detail === 0) move(1, true);
      }}
    />
  );
}
