/** What the demo asks of the cluster and of the cloud. It never asks the host: what is shown is what others see. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { createHttpClient, type HttpClient, type HttpMethod } from '../../../shared/net/http-client.ts';
import type { Node, NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import type { LedgerEntry } from '../../../sim/cloud/instance.ts';
import type { FaultRules } from '../../../sim/kit/faults.ts';
import type { Places } from '../../../sim/scenes/scene.ts';

/** The world at one moment. */
export interface Sight {
  claims: NodeClaim[];
  nodes: Node[];
  /** Every instance that ever existed. */
  ledger: LedgerEntry[];
}

export interface DemoWorld {
  look(): Promise<Sight>;
  /** Pairs of instances that lived at the same time for one claim, at any time. */
  overlaps(): Promise<number>;
  create(object: { [key: string]: Json }): Promise<void>;
  deleteClaim(name: string): Promise<void>;
  setFaults(rules: FaultRules): Promise<void>;
  close(): void;
}

const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
/** Where objects of a kind are made: claims, and the node classes of every provider. */
function collectionOf(kind: Json | undefined): string {
  if (kind === 'NodeClaim') return claimsPath;
  const known = kindsOf(manifests).find((one) => one.kind === kind);
  if (known === undefined) throw new Error(`the demo makes no ${String(kind)}`);
  return `/apis/${known.group}/${known.version}/${known.plural}`;
}
const timeoutMs = 20_000;

export function openWorld(at: Pick<Places, 'cluster' | 'cloud'>): DemoWorld {
  const cluster = createHttpClient({ baseUrl: at.cluster, userAgent: 'poolwright-demo' });
  const cloud = createHttpClient({ baseUrl: at.cloud, userAgent: 'poolwright-demo' });
  const ask = async <T>(client: HttpClient, method: HttpMethod, path: string, body?: Json): Promise<T> => {
    const answer = await client.request({ method, path, timeoutMs, ...defined({ body }) });
    if (!answer.ok) throw new Error(answer.message);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer.json() as T;
  };
  const items = async <T>(client: HttpClient, path: string): Promise<T[]> =>
    (await ask<{ items: T[] }>(client, 'GET', path)).items;
  return {
    async look() {
      const [claims, nodes, ledger] = await Promise.all([
        items<NodeClaim>(cluster, claimsPath),
        items<Node>(cluster, '/api/v1/nodes'),
        // A demo makes far fewer instances than fit on one page.
        items<LedgerEntry>(cloud, '/ledger?limit=5000'),
      ]);
      return { claims, nodes, ledger };
    },
    overlaps: async () => (await items<Json>(cloud, '/ledger/overlaps')).length,
    create: (object) => ask(cluster, 'POST', collectionOf(object.kind), object),
    deleteClaim: (name) => ask(cluster, 'DELETE', `${claimsPath}/${name}`),
    setFaults: (rules) => ask(cloud, 'POST', '/faults', JSON.parse(JSON.stringify(rules)) as Json),
    close() {
      cluster.close();
      cloud.close();
    },
  };
}
