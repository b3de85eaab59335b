/** Dead letters that speak of a claim: what should have begun its life lies where no function reads it. */
import { defined } from '../base/defined.ts';
import type { DiagnosisFacts } from './diagnosis-facts.ts';

interface Letter {
  id: string;
  reason: string;
  body: string;
  /** In milliseconds. */
  deadAt: number;
}

type Pages = (page: { after?: string; limit: number }) => Promise<{ items: Letter[]; next?: string }>;

/** So many dead letters are looked through. */
export const mostLetters = 2000;
const lettersPerPage = 1000;

/** Where something runs, or has run to its end, its event has come. */
export const mayLackItsEvent = ({ workflows, decisions }: Pick<DiagnosisFacts, 'workflows' | 'decisions'>): boolean =>
  !workflows.some(({ status }) => status === 'running') && decisions.at(-1)?.code !== 'node-ready';

/** Those that speak of the claim by its uid, or by its name where they lack one. */
export async function lettersAbout(
  pages: Pages,
  name: string,
  uid: string,
  signal?: AbortSignal,
): Promise<DiagnosisFacts['deadLetters']> {
  const found: { id: string; reason: string; at: number }[] = [];
  let after: string | undefined;
  let seen = 0;
  do {
    const { items, next } = await pages({ limit: lettersPerPage, ...defined({ after }) });
    for (const { id, reason, body, deadAt } of items)
      if (speaksOf(body, name, uid)) found.push({ id, reason, at: deadAt });
    seen += items.length;
    after = next;
  } while (after !== undefined && seen < mostLetters && !signal?.aborted);
  return found;
}

function speaksOf(body: string, name: string, uid: string): boolean {
  if (body.includes(uid)) return true;
  if (!body.includes(name)) return false;
  try {
    const data: unknown = JSON.parse(body);
    if (typeof data !== 'object' || data === null || !('data' in data)) return false;
    const about = data.data;
    return typeof about === 'object' && about !== null && 'name' in about && about.name === name && !('uid' in about);
  } catch {
    return false;
  }
}
