/** Every request of a place, read in pages. All or nothing: half a list would take living requests for gone. */
import { defined } from '../../base/defined.ts';
import { ok, type Result } from '../../base/result.ts';
import type { RequestStore, StoredRequest } from '../store/contract.ts';

/** A page whose list has expired means to start again. */
const mostStarts = 4;

export async function allRequests(store: RequestStore, signal?: AbortSignal): Promise<Result<StoredRequest[]>> {
  for (let start = 1; ; start++) {
    const requests: StoredRequest[] = [];
    let from: string | undefined;
    for (;;) {
      const page = await store.list(defined({ continue: from }), signal);
      if (!page.ok) {
        if (page.error.kind === 'conflict' && from !== undefined && start < mostStarts) break;
        return page;
      }
      requests.push(...page.value.items);
      from = page.value.continue;
      if (from === undefined) return ok(requests);
    }
  }
}
