/** A whole list, page by page, so that neither side has to hold all of it. */
import { defined } from '../base/defined.ts';
import { ok, type Result } from '../base/result.ts';
import type { ClusterApi, KubeObject, ListOptions, Resource } from './contract.ts';

const usualPageSize = 500;
const mostRestarts = 3;

export interface PageReader<T> {
  /** The list begins, or begins again because its snapshot expired: forget what came before. */
  onStart?(): void;
  onItem(item: T): void | undefined | Promise<void>;
}

/** Answers the resourceVersion of the list, from which a watch can go on. All pages are of one moment. */
export async function listAll<T extends KubeObject>(
  api: ClusterApi,
  resource: Resource,
  options: Omit<ListOptions, 'continue'>,
  reader: PageReader<T>,
  signal?: AbortSignal,
): Promise<Result<{ resourceVersion: string }>> {
  for (let restarts = 0; ; restarts += 1) {
    reader.onStart?.();
    let from: string | undefined;
    for (;;) {
      const page = await api.list<T>(
        resource,
        { limit: usualPageSize, ...options, ...defined({ continue: from }) },
        signal,
      );
      if (!page.ok) {
        // Only a page after the first can have expired; that is what `conflict` means here.
        if (page.error.kind === 'conflict' && from !== undefined && restarts < mostRestarts) break;
        return page;
      }
      for (const item of page.value.items) {
        const pending = reader.onItem(item);
        if (pending !== undefined) await pending;
      }
      if (page.value.continue === undefined) return ok({ resourceVersion: page.value.resourceVersion });
      from = page.value.continue;
    }
  }
}
