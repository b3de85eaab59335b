/** What the crash test asks of the cluster and the cloud, past all proxies. */

import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { createHttpClient } from '../../shared/net/http-client.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { CrashCloud } from './clouds.ts';

const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const timeoutMs = 30_000;

export type LedgerEntry = { id: string; claimUid?: string; goneAt: number | null };

export interface CrashCluster {
  createNodeClass(): Promise<void>;
  createClaim(name: string, spot: boolean): Promise<void>;
  deleteClaim(name: string): Promise<void>;
  claims(): Promise<StoredClaim[]>;
  nodes(): Promise<number>;
  living(): Promise<LedgerEntry[]>;
  overlaps(): Promise<Json[]>;
  close(): void;
}

export function crashCluster(clusterUrl: string, cloudUrl: string, kind: CrashCloud): CrashCluster {
  const cluster = createHttpClient({ baseUrl: clusterUrl, userAgent: 'crash-test' });
  const cloud = createHttpClient({ baseUrl: cloudUrl, userAgent: 'crash-test' });
  const ask = async (
    client: typeof cluster,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: Json,
    fine: number[] = [],
  ): Promise<Json> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await client.request({ method, path, timeoutMs, ...defined({ body }) });
      if (answer.ok && (answer.status < 300 || fine.includes(answer.status))) return answer.json() ?? null;
      if (attempt >= 5)
        throw new Error(`${method} ${path}: ${answer.ok ? `${answer.status} ${answer.text}` : answer.message}`);
      await pause(100);
    }
  };
  const items = async <T>(client: typeof cluster, path: string): Promise<T[]> => {
    const answer = (await ask(client, 'GET', path)) as { items: T[] };
    return answer.items;
  };
  const ledger = async (): Promise<LedgerEntry[]> => {
    const all: LedgerEntry[] = [];
    let next: number | undefined;
    do {
      const query = next === undefined ? '' : `?after=${next}`;
      const page = (await ask(cloud, 'GET', `/ledger${query}`)) as { items: LedgerEntry[]; next?: number };
      all.push(...page.items);
      next = page.next;
    } while (next !== undefined);
    return all;
  };
  const leftovers = async (): Promise<LedgerEntry[]> =>
    kind.tellsLeftovers === true ? items<LedgerEntry>(cloud, '/leftovers') : [];
  return {
    async createNodeClass() {
      if (kind.nodeClass) await ask(cluster, 'POST', kind.nodeClass.path, kind.nodeClass.body, [409]);
    },
    async createClaim(name, spot) {
      await ask(cluster, 'POST', claimsPath, kind.claim(name, spot), [409]);
    },
    async deleteClaim(name) {
      await ask(cluster, 'DELETE', `${claimsPath}/${name}`, undefined, [404]);
    },
    claims: () => items<StoredClaim>(cluster, claimsPath),
    nodes: async () => (await items(cluster, '/api/v1/nodes')).length,
    living: async () => [...(await ledger()).filter(({ goneAt }) => goneAt === null), ...(await leftovers())],
    overlaps: async () => {
      const answer = (await ask(cloud, 'GET', '/ledger/overlaps')) as { items: Json[] };
      return answer.items;
    },
    close() {
      cluster.close();
      cloud.close();
    },
  };
}
