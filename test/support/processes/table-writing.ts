// Run in a child process by table-memory.long.ts: writes a table, and says what memory that took.
import { writeTable } from '../../../generator/parquet/write-table.ts';
import { LevelStore } from '../../../generator/store/level-store.ts';

/** Bytes of a unit of `maxRSS`. */
const KIB = 1024;

/**
 * Writes the table of a level with a column of texts.
 * @param task the folder of the table, and the path of the level's store
 * @returns its rows, and bytes of memory beside those before
 */
export function writeTableOf({ out, store }: { out: string; store: string }): { rows: number; bytes: number } {
  const before = process.memoryUsage.rss();
  const { rows } = writeTable(
    out,
    0,
    new LevelStore(store),
    { geometries: ['full', 'medium', 'low', 'point', 'none'], precision: 7 },
    {
      about: {
        layer: 'ADM_0',
        gidColumns: ['GID_0'],
        nameColumn: '',
        typeColumn: '',
        searchColumns: [],
        columns: [
          { name: 'fid', type: 'int64' },
          { name: 'GID_0', type: 'string' },
        ],
        isRenumbered: false,
      },
      attribution: [],
      licence: undefined,
    },
  );
  return { rows, bytes: KIB * process.resourceUsage().maxRSS - before };
}
