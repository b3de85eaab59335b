/** Lists of AWS, page after page. */
import { failed, ok, type Result } from '../../../base/result.ts';

/** The longest list has dozens of pages; one that does not end must not keep us for ever. */
const mostPages = 500;

/** `ask` is given the token of a page, and returns its items and the token of the next one. */
export async function allPages<T>(
  ask: (token: string | undefined) => Promise<Result<{ items: readonly T[]; next: string | undefined }>>,
): Promise<Result<T[]>> {
  const all: T[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await ask(token);
    if (!page.ok) return page;
    all.push(...page.value.items);
    token = page.value.next;
    // AWS ends a list with an absent token, and some services with an empty one.
    if (token === undefined || token === '') return ok(all);
  }
  return failed('unavailable', `a list of AWS has more than ${mostPages} pages`);
}
