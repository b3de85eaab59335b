/** What the crash test asks of the management cluster, past all proxies. */
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { asoKinds } from '../../../shared/clusters/manifests/api-versions.ts';
import { labelNames } from '../../../shared/clusters/resolved/tags.ts';
import type { StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';

const timeoutMs = 30_000;
export const teams = ['team-a', 'team-b'] as const;

const root = '/apis/poolwright.dev/v1alpha1';
const pathOf = (namespace: string, name = ''): string =>
  `${root}/namespaces/${namespace}/clusterrequests/${name}`.replace(/\/$/, '');

export interface Leftover {
  kind: string;
  name: string;
  uid: string;
}

export interface ManagementCluster {
  create(namespace: string, name: string, spec: Json): Promise<void>;
  change(namespace: string, name: string, spec: Json): Promise<void>;
  remove(namespace: string, name: string): Promise<void>;
  requests(): Promise<StoredRequest[]>;
  /** Objects of the operator that have the marks of a request, with its uid. */
  marked(): Promise<Leftover[]>;
  close(): void;
}

export function managementCluster(url: string): ManagementCluster {
  const client = createHttpClient({ baseUrl: url, userAgent: 'crash-test' });
  type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH';
  const ask = async (method: Method, path: string, body?: Json, fine: readonly number[] = []): Promise<Json> => {
    for (let attempt = 0; ; attempt++) {
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
      const answer = await client.request({ method, path, timeoutMs, ...defined({ body, headers }) });
      if (answer.ok && (answer.status < 300 || fine.includes(answer.status))) return answer.json() ?? null;
      if (attempt >= 5)
        throw new Error(`${method} ${path}: ${answer.ok ? `${answer.status} ${answer.text}` : answer.message}`);
      await pause(100);
    }
  };
  const items = async <T>(path: string): Promise<T[]> => ((await ask('GET', path)) as { items: T[] }).items;
  return {
    async create(namespace, name, spec) {
      await ask(
        'POST',
        '/api/v1/namespaces',
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        [409],
      );
      const request = {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'ClusterRequest',
        metadata: { name, namespace },
        spec,
      };
      await ask('POST', pathOf(namespace), request, [409]);
    },
    async change(namespace, name, spec) {
      await ask('PATCH', pathOf(namespace, name), { spec }, [404, 409]);
    },
    async remove(namespace, name) {
      await ask('DELETE', pathOf(namespace, name), undefined, [404]);
    },
    requests: () => items<StoredRequest>(`${root}/clusterrequests`),
    async marked() {
      const found: Leftover[] = [];
      for (const [kind, { group, plural, versions }] of Object.entries(asoKinds)) {
        const listed = await items<StoredRequest>(`/apis/${group}/${versions[0].version}/${plural}`);
        for (const { metadata } of listed) {
          const uid = metadata.labels?.[labelNames.uid];
          if (uid !== undefined) found.push({ kind, name: metadata.name, uid });
        }
      }
      return found;
    },
    close: () => client.close(),
  };
}
