/** A whole list, page by page, so that neither side has to hold all of it. */
import { defined } from '../base/defined.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { type ClusterApi, failureCodes, type KubeObject, type ListOptions, type Resource } from './contract.ts';

const usualPageSize = 500;
/** Where a page is too long, the next try asks for a part of it; objects that are so large are not made in good faith. */
const smallestPageSize = 20;
const mostRestarts = 3;

/**
 * Kubernetes supports 5,000 Nodes, and Poolwright 100,000 claims in flight. A server that always names a next page would be read for
 * ever, and a reader that keeps what it reads would grow with it.
 */
export const listLimits = { objects: 120_000, bytes: 512 * 1024 * 1024, pages: 5000 } as const;

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
  let limit = options.limit ?? usualPageSize;
  for (let restarts = 0; ; restarts += 1) {
    reader.onStart?.();
    let from: string | undefined;
    const read = { objects: 0, bytes: 0, pages: 0 };
    for (;;) {
      const page = await api.list<T>(resource, { ...options, limit, ...defined({ continue: from }) }, signal);
      if (!page.ok) {
        if (page.error.code === failureCodes.tooLong && limit > smallestPageSize) {
          limit = Math.max(smallestPageSize, Math.floor(limit / 5));
          continue;
        }
        // Only a page after the first can have expired; that is what `conflict` means here.
        if (page.error.kind === 'conflict' && from !== undefined && restarts < mostRestarts) break;
        return page;
      }
      const { items, bytes = 0, resourceVersion, continue: next } = page.value;
      read.objects += items.length;
      read.bytes += bytes;
      read.pages += 1;
      const over = (['objects', 'bytes', 'pages'] as const).find((what) => read[what] > listLimits[what]);
      if (over !== undefined) return tooLong(resource, over, reader);
      for (const item of items) {
        const pending = reader.onItem(item);
        if (pending !== undefined) await pending;
      }
      if (next === undefined) return ok({ resourceVersion });
      from = next;
    }
  }
}

/** Readers forget what they have kept: nobody asks for the half of such a list. */
function tooLong<T>({ plural }: Resource, what: keyof typeof listLimits, reader: PageReader<T>): Result<never> {
  reader.onStart?.();
  const message = `the list of ${plural} has more than ${listLimits[what].toLocaleString('en')} ${what}, and was given up; check what answers in place of the API server`;
  return failed('unavailable', message, { code: failureCodes.tooLong });
}
