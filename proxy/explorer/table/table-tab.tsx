// The Table tab: colours the map by a table of one's own. What reads and shows one is a script of its own, loaded when a
// file is chosen, or dropped on the page.
import { toGeoJson } from '../share/units-file.ts';
import { announce, focusHeading, page } from '../state/page.ts';

/** What of the page the script uses: it has no second one. */
const PARTS = { page, announce, focusHeading, toGeoJson };

export type PageParts = typeof PARTS;

const PURPOSE =
  'Choose or drop a CSV file with names or codes of units, and a column of numbers or classes. The table stays in this browser: nothing of it is sent, and no link to this page has it.';

export function TableTab() {
  const Card = page.tableCard.value;
  return (
    <>
      <h2 id="table-heading" tabIndex={-1}>
        Colour by a table
      </h2>
      <p class="note">{PURPOSE}</p>
      <div class="field">
        <label for="table-file">CSV file</label>
        <input
          id="table-file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/comma-separated-values,text/tab-separated-values,text/plain"
          // A file that was changed meanwhile may be chosen again.
          onClick={({ currentTarget }) => {
            currentTarget.value = '';
          }}
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
      </div>
      {Card && <Card />}
    </>
  );
}

/** Takes files that are dropped on the page. Signed out too they are held: the browser would leave the page for them. */
export function takeDrops(): void {
  const filesIn = (event: DragEvent) => (event.dataTransfer?.types.includes('Files') ? event.dataTransfer : undefined);
  addEventListener('dragover', (event) => filesIn(event) && event.preventDefault());
  addEventListener('drop', (event) => {
    const files = filesIn(event);
    if (files === undefined) return;
    event.preventDefault();
    void take(files.files[0]);
  });
}

async function take(file: File | undefined): Promise<void> {
  if (file === undefined || page.visit.value === undefined) return;
  page.tab.value = 'table';
  if (page.sheet.value === 'low') page.sheet.value = 'half';
  try {
    const { showTable } = await import('../table/table.js');
    showTable(file, PARTS);
  } catch (error) {
    page.visit.value?.fail(error);
  }
}
