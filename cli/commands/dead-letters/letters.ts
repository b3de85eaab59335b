/** Dead letters as the host tells them, and what their bodies say. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { allPages, type HostApi } from '../../reach/host-api.ts';
import { printable } from '../../terminal/text-table.ts';

export interface DeadLetter {
  id: string;
  reason: string;
  body: string;
  /** Absent where the sender did not say, and on older hosts. */
  cluster?: string;
  receiveCount: number;
  enqueuedAt: string;
  deadAt: string;
}

/** More are not looked at in one go: nobody reads them, and a second call takes the next ones. */
export const most = 10_000;
const shownLetters = 5;

export const allDeadLetters = (api: HostApi): Promise<DeadLetter[]> =>
  allPages<DeadLetter>(api, '/v1/dead-letters', {}, most);

/** `cluster/name` of whom it is about, where the body tells; it may hold anything. */
export function aboutOf({ body }: Pick<DeadLetter, 'body'>): string | undefined {
  const event = objectIn(parsed(body));
  const { cluster, name, group, kind } = objectIn(event.data);
  if (typeof name !== 'string' || name === '') return undefined;
  const where = typeof cluster === 'string' && cluster !== '' ? `${cluster}/` : '';
  // Of a node class the name alone would say too little.
  return typeof kind === 'string' && typeof group === 'string' ? `${where}${kind} ${name}` : `${where}${name}`;
}

export function typeOf({ body }: Pick<DeadLetter, 'body'>): string | undefined {
  const { type } = objectIn(parsed(body));
  return typeof type === 'string' ? type : undefined;
}

/** Undefined for what is no JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const objectIn = (value: Json | undefined): { [key: string]: Json } => (isObject(value) ? value : {});

/** "2 dead letters (42 about sim/web-1, 43)". */
export function listed(letters: readonly DeadLetter[]): string {
  const some = letters.slice(0, shownLetters).map((letter) => {
    const about = aboutOf(letter);
    return printable(about === undefined ? letter.id : `${letter.id} about ${about}`);
  });
  const more = letters.length - some.length;
  const names = `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${letters.length === 1 ? '1 dead letter' : `${letters.length} dead letters`} (${names})`;
}
