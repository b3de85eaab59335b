/** What the person at the keys has chosen to see. Pure: from a view and a key to the next view. */
import { type SortKey, sortKeys } from './rows.ts';

export interface View {
  sort: SortKey;
  filter: string;
  /** The filter is being typed. */
  isTyping: boolean;
  isHelp: boolean;
  /** The first row that is shown. */
  offset: number;
}

export const firstView: View = { sort: 'stage', filter: '', isTyping: false, isHelp: false, offset: 0 };

export type Key =
  | { key: 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'enter' | 'escape' | 'backspace' | 'interrupt' }
  | { key: 'text'; text: string };

/** `page` is how many rows are shown, `rows` how many there are. */
export function pressed(view: View, key: Key, page: number, rows: number): View | 'quit' | 'interrupted' {
  if (key.key === 'interrupt') return 'interrupted';
  const scrolled = scroll(view, key, page, rows);
  if (scrolled !== undefined) return scrolled;
  if (view.isTyping) return typed(view, key);
  if (key.key === 'escape' || key.key === 'enter') return { ...view, isHelp: false, filter: '', offset: 0 };
  if (key.key !== 'text') return view;
  switch (key.text) {
    case 'q':
      return 'quit';
    case 's':
      return { ...view, sort: next(view.sort), offset: 0 };
    case '/':
      return { ...view, isTyping: true, isHelp: false };
    case '?':
    case 'h':
      return { ...view, isHelp: !view.isHelp };
    case 'j':
      return scroll(view, { key: 'down' }, page, rows) ?? view;
    case 'k':
      return scroll(view, { key: 'up' }, page, rows) ?? view;
    default:
      return view;
  }
}

function scroll(view: View, { key }: Key, page: number, rows: number): View | undefined {
  const step: Partial<Record<Key['key'], number>> = {
    up: -1,
    down: 1,
    'page-up': -page,
    'page-down': page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  const by = step[key];
  return by === undefined ? undefined : { ...view, offset: within(view.offset + by, page, rows) };
}

/** The last page stays full. */
export const within = (offset: number, page: number, rows: number): number =>
  Math.max(0, Math.min(offset, rows - page));

function typed(view: View, key: Key): View {
  switch (key.key) {
    case 'enter':
      return { ...view, isTyping: false };
    case 'escape':
      return { ...view, isTyping: false, filter: '', offset: 0 };
    case 'backspace':
      return { ...view, filter: [...view.filter].slice(0, -1).join(''), offset: 0 };
    case 'text':
      return { ...view, filter: (view.filter + key.text).slice(0, longestFilter), offset: 0 };
    default:
      return view;
  }
}

const longestFilter = 253;

const next = (sort: SortKey): SortKey => sortKeys[(sortKeys.indexOf(sort) + 1) % sortKeys.length] ?? 'stage';
