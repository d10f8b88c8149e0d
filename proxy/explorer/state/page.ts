// What the page shows beside the map, as signals: components draw it. What a place lists is in shown.ts.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { About } from '../api/about.ts';
import type { Point } from '../api/coordinates.ts';
import type { NamedUnit } from '../api/unit.ts';
import type { Message } from '../messages/messages.ts';
import type { Visit } from './visit.ts';

/** Heights of the sheet on a phone; phone.css has the sizes. */
export const SHEETS = ['low', 'half', 'full'] as const;

export type Sheet = (typeof SHEETS)[number];

/** What is at a point. */
export interface Here {
  point: Point;
  /** The point in the other order of its numbers, if it is one. */
  other: Point | undefined;
  /** That contain it; undefined until the service has answered. */
  units: NamedUnit[] | undefined;
}

/** What the colours of the map mean. */
export interface Legend {
  title: string;
  /** `stripes`: the colour of stripes upon it. */
  entries: readonly { colour: string; text: string; stripes?: string }[];
  /** What a unit has; empty for nothing. */
  noteOf: (level: number, fid: number) => string;
}

export const page = {
  /** What the service says of itself, once it has. */
  about: signal<About | undefined>(undefined),
  /** Between sign-in and sign-out. */
  visit: signal<Visit | undefined>(undefined),
  /** Is somebody asked for a token? Why, where there is a reason. */
  signIn: signal<{ reason: string } | undefined>(undefined),
  tab: signal<'browse' | 'request' | 'table'>('browse'),
  /** What shows a table, once its script is there. */
  tableCard: signal<ComponentType | undefined>(undefined),
  sheet: signal<Sheet>('half'),
  /** What is said above the panels, with a button. */
  message: signal<(Message & { action?: { label: string; run: () => void } | undefined }) | undefined>(undefined),
  here: signal<Here | undefined>(undefined),
  /** Why the map does not show yet what it is to show; empty where it does. */
  mapNote: signal(''),
  /** Why there is no map; empty where there is one. */
  noMap: signal(''),
  /** The first zoom at which a level has tiles, by level, as far as the map has asked. */
  firstZooms: signal<Readonly<Record<number, number>>>({}),
  /** The levels that are drawn or listed. */
  drawn: signal<readonly number[]>([]),
  /** Undefined while the colours of the map only tell neighbours apart. */
  legend: signal<Legend | undefined>(undefined),
  /** Is all of what is shown in sight? */
  isAllSeen: signal(true),
  /** What is said to those who hear the page. */
  said: signal(''),
};

/** Says something to those who hear the page. */
export function announce(text: string): void {
  page.said.value = text;
}

/** Shows the Browse tab, and on a phone a part of it at least. */
export function showBrowse(): void {
  page.tab.value = 'browse';
  if (page.sheet.value === 'low') page.sheet.value = 'half';
}

/** Shows the Request tab from one of its headings on. */
export function showRequest(id = 'request-heading'): void {
  page.tab.value = 'request';
  // The tab is drawn first.
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/** Moves the focus to the heading of the tab, before what has it leaves the page. */
export function focusHeading(): void {
  const id = page.tab.value === 'browse' ? 'heading' : `${page.tab.value}-heading`;
  document.getElementById(id)?.focus({ preventScroll: true });
}
