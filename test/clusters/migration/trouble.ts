/** An API that dies with its process at a write, and one between whose writes somebody else acts. */
import type { ClusterApi } from '../../../shared/kube/contract.ts';

export class Killed extends Error {
  override readonly name = 'Killed';
}

const writing = ['create', 'mergePatch', 'jsonPatch', 'apply', 'delete'] as const;
type Writing = (typeof writing)[number];
type Write = (...args: unknown[]) => Promise<unknown>;

/** @param around Is given each write that stores something. */
function withWrites(api: ClusterApi, around: (write: () => Promise<unknown>) => Promise<unknown>): ClusterApi {
  const wrapped = Object.fromEntries(
    writing.map((name): [Writing, Write] => [
      name,
      (...args) => {
        const write = () => (api[name] as Write)(...args);
        const isDry = name === 'apply' && (args[2] as { dryRun?: boolean } | undefined)?.dryRun === true;
        return isDry ? write() : around(write);
      },
    ]),
  );
  return { ...api, ...wrapped } as ClusterApi;
}

/** Right after the write of this number. From then on nothing is written any more. */
export function dying(api: ClusterApi, at: number): ClusterApi {
  let writes = 0;
  return withWrites(api, async (write) => {
    writes += 1;
    if (writes > at) throw new Killed();
    const answer = await write();
    if (writes === at) throw new Killed();
    return answer;
  });
}

export const interrupted = (api: ClusterApi, act: () => Promise<void>): ClusterApi =>
  withWrites(api, async (write) => {
    await act();
    const answer = await write();
    await act();
    return answer;
  });
