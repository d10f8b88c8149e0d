// What to say to a person when something did not work, by status.
import { RELEASE_CHANGED, RefusalError } from '../api/client.ts';
import { count, unitsText } from '../api/texts.ts';
import { MapFault } from '../map/faults.ts';
import type { Place } from '../state/place.ts';

export interface Message {
  kind: 'note' | 'error';
  title: string;
  detail?: string;
  code?: string;
  links?: readonly { text: string; href: string }[];
}

/** Why a request gave nothing. */
export function errorToMessage(error: unknown): Message {
  if (error instanceof MapFault) return { kind: 'error', title: 'The map has a fault', detail: error.message };
  if (!(error instanceof RefusalError)) return { kind: 'error', title: UNREADABLE, detail: String(error) };
  const { status, code, message } = error;
  if (code === RELEASE_CHANGED) return { kind: 'error', title: 'The release is changing', detail: message };
  let detail = message;
  if (status === 0) detail = `${message} Check that the service is running, and that you are online.`;
  if (status === 410) detail = 'A newer release has taken its place.';
  return { kind: 'error', title: titleOf(status), detail, code: status === 0 ? '' : `${status} ${code}`.trim() };
}

const UNREADABLE = 'The response could not be read';

/** Why a token with which the service answers 401 is not accepted. */
export const NOT_ACCEPTED =
  'The service does not accept this token. It has expired, is damaged, or is meant for another service. Paste a new one.';

/** Why a text is no token. */
export const NO_TOKEN = 'This is not a token. Copy the token again, and paste all of it.';

/** Why a link does not bring its token. */
export const NO_LINKED_TOKEN = 'The token in the link is damaged. Copy the whole link, or paste the token.';

/** What is said of a point where nothing is. */
export const NOTHING_HERE = 'No unit contains this point.';

/** Why there is no map. */
export const NO_RELEASE = 'The service has no release yet, or it could not be asked.';
export const NO_TILES = 'This release was built without tiles.';

/** Asked before the token of a link replaces another one. */
export const REPLACE_TOKEN =
  'You are signed in with another token than the one in this link. Use the token of the link?';

/** Can the same request have another answer later? */
export function isPassing(error: unknown) {
  return error instanceof RefusalError && ([0, 200, 410, 429].includes(error.status) || error.status >= 500);
}

/**
 * A list without units.
 * @param isKnown has the release the unit that the list is limited to?
 */
export function emptyMessage({ filters, bbox, contains }: Place, isKnown: boolean): Message {
  const [gid] = [...filters.values()].slice(-1);
  if (gid !== undefined && !isKnown) return unknownMessage(gid);
  let detail =
    gid === undefined ? 'This level has no units.' : `${gid} has no units at this level. The map stays where it is.`;
  if (bbox !== '') detail = 'No unit of this level is in the box.';
  if (contains !== '') detail = 'No unit of this level contains the point.';
  return { kind: 'note', title: 'No units here', detail };
}

/**
 * A unit that the address names.
 * @param unit its GID, or `fid` with a number
 */
export function unknownMessage(unit: string): Message {
  return { kind: 'note', title: 'No such unit', detail: `This release has no unit ${unit} at this level.` };
}

/**
 * A unit that an earlier release had.
 * @param links to those that have its area now
 */
export function goneMessage(gid: string, links: NonNullable<Message['links']>): Message {
  const detail = `This release no longer has the unit ${gid}. Its area now belongs to:`;
  return { kind: 'note', title: 'This unit is gone', detail, links };
}

/**
 * While a file is put together.
 * @param title of what is saved
 * @param units that are there, if it is made of units
 */
export function savingMessage(title: string, units?: number): Message {
  return { kind: 'note', title: `Saving ${title}`, detail: units === undefined ? '' : `${count(units)} units so far` };
}

/**
 * @param units in the file
 * @param name of the file, if it is GeoJSON of several levels
 */
export function savedMessage(units: number, name?: string): Message {
  const title = `Saved ${unitsText(units)}`;
  if (name === undefined) return { kind: 'note', title };
  // The column fid has a number of each level again, so it cannot be the one of the table.
  const code = `ogr2ogr -lco FID=row ${name.replace(/geojson$/, 'gpkg')} ${name}`;
  return { kind: 'note', title, detail: 'To make a GeoPackage of it, run GDAL:', code };
}

function titleOf(status: number) {
  if (status === 0) return 'No response';
  if (status === 200) return UNREADABLE;
  if (status === 403) return 'This token does not allow that';
  if (status === 410) return 'The release of this listing is gone';
  if (status === 429) return 'Too many requests';
  return status < 500 ? 'The request needs a change' : 'The service has a fault';
}
