/** Claims that come and go at once, and a watch that says when all of them are Ready or gone. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../../shared/base/json.ts';
import type { ErrorKind, Result } from '../../shared/base/result.ts';
import { type ClusterApi, type KubeObject, nodeClaims } from '../../shared/kube/contract.ts';

type Claim = KubeObject & { status?: { conditions?: { type: string; status: string }[] } };

const concurrency = 16;
const againMs = 200;
/** Many times what the slower contender needs. */
const giveUpSeconds = 1200;

export interface Claims {
  /** Resolves with the seconds until the last one was Ready. */
  create(count: number, claim: (name: string) => Json): Promise<number>;
  /** Resolves with the seconds until the last one was gone. */
  removeAll(): Promise<number>;
  close(): void;
}

export async function followClaims(api: ClusterApi): Promise<Claims> {
  const present = new Set<string>();
  const ready = new Set<string>();
  let changed = (): void => {};
  const abort = new AbortController();
  const listed = await api.list<Claim>(nodeClaims);
  if (!listed.ok) throw new Error(listed.error.message);
  void follow(listed.value.resourceVersion);

  async function follow(from: string): Promise<void> {
    for (let resourceVersion = from; !abort.signal.aborted; ) {
      const look = (event: Parameters<Parameters<typeof api.watch<Claim>>[2]>[0]): void => {
        if (event.type === 'bookmark') {
          ({ resourceVersion } = event);
          return;
        }
        const { metadata, status } = event.object;
        ({ resourceVersion } = metadata);
        const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
        if (event.type === 'deleted') present.delete(metadata.name);
        else present.add(metadata.name);
        if (isReady && event.type !== 'deleted') ready.add(metadata.name);
        else ready.delete(metadata.name);
        changed();
      };
      const { end } = await api.watch<Claim>(nodeClaims, { resourceVersion }, look, abort.signal);
      if (end === 'expired') throw new Error('the watch of the claims has lost its place');
      if (end === 'failed') await pause(againMs);
    }
  }

  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const problem = new Error(`${ready.size} of ${present.size} claims were Ready after ${giveUpSeconds} s`);
      const timer = setTimeout(() => reject(problem), giveUpSeconds * 1000);
      changed = () => {
        if (!isTrue()) return;
        clearTimeout(timer);
        resolve();
      };
      changed();
    });

  return {
    create: async (count, claim) => {
      const started = performance.now();
      const all = Array.from({ length: count }, (_, index) => `claim-${String(index).padStart(5, '0')}`);
      await eachOf(all, (name) => insist(() => api.create(nodeClaims, claim(name)), 'conflict'));
      await until(() => ready.size === count);
      return (performance.now() - started) / 1000;
    },
    removeAll: async () => {
      const started = performance.now();
      await eachOf([...present], (name) => insist(() => api.delete(nodeClaims, { name }, {}), 'not-found'));
      await until(() => present.size === 0);
      return (performance.now() - started) / 1000;
    },
    close: () => abort.abort(),
  };
}

/** A server at its limit is asked again; `done` is the failure that says that an earlier try has worked. */
async function insist(ask: () => Promise<Result<unknown>>, done: ErrorKind): Promise<void> {
  for (;;) {
    const answer = await ask();
    if (answer.ok || answer.error.kind === done) return;
    if (answer.error.kind === 'invalid' || answer.error.kind === 'unauthorised') throw new Error(answer.error.message);
    await pause(againMs);
  }
}

async function eachOf(names: string[], work: (name: string) => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await work(name);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
