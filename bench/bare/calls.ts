/** The calls themselves, on the product's own HTTP client: as quick as it gets without giving up kept-alive connections. */

import type { Json } from '../../shared/base/json.ts';
import { createHttpClient, type HttpClient, type HttpMethod, type HttpQuery } from '../../shared/net/http-client.ts';
import type { KubeMeta } from './bodies.ts';

export const bareAgent = 'bare';
const timeoutMs = 30_000;
const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const nodesPath = '/api/v1/nodes';
const mergePatch = { 'content-type': 'application/merge-patch+json' };

export type Kind = 'claim' | 'node';
export type Watched = {
  type: string;
  object: { metadata: KubeMeta & { deletionTimestamp?: string }; status?: Status };
};
type Status = { conditions?: { type: string; status: string }[] };

export class BareCalls {
  readonly #cluster: HttpClient;
  readonly #cloud: HttpClient;
  /** Answers that were not as expected. A few are races with kubelets; many would make the baseline worthless. */
  failures = 0;

  constructor(urls: { cluster: string; cloud: string }) {
    this.#cluster = createHttpClient({ baseUrl: urls.cluster, userAgent: bareAgent });
    this.#cloud = createHttpClient({ baseUrl: urls.cloud, userAgent: bareAgent });
  }

  async read(kind: Kind, name: string): Promise<KubeMeta | undefined> {
    return metaOf(await this.#ask(this.#cluster, 'GET', `${pathOf(kind)}/${name}`));
  }

  async patch(kind: Kind, name: string, body: Json, subresource = ''): Promise<KubeMeta | undefined> {
    const path = `${pathOf(kind)}/${name}${subresource}`;
    return metaOf(await this.#ask(this.#cluster, 'PATCH', path, { body, query: { fieldManager: bareAgent } }));
  }

  async delete(kind: Kind, name: string, uid: string): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
    await this.#ask(this.#cluster, 'DELETE', `${pathOf(kind)}/${name}`, { body });
  }

  async createEvent(body: Json): Promise<void> {
    await this.#ask(this.#cluster, 'POST', '/api/v1/namespaces/default/events', { body });
  }

  async other(path: string, query: HttpQuery = {}): Promise<void> {
    await this.#ask(this.#cluster, 'GET', path, { query });
  }

  async createInstance(body: Json): Promise<{ id: string } | undefined> {
    return (await this.#ask(this.#cloud, 'POST', '/instances', { body })) as { id: string } | undefined;
  }

  async readInstance(id: string): Promise<void> {
    await this.#ask(this.#cloud, 'GET', `/instances/${id}`);
  }

  async findInstances(uid: string): Promise<void> {
    await this.#ask(this.#cloud, 'GET', '/instances', { query: { 'tag.poolwright.dev/claim-uid': uid, limit: 500 } });
  }

  async deleteInstance(id: string, uid: string): Promise<void> {
    const query = { 'tag.poolwright.dev/claim-uid': uid, 'tag.poolwright.dev/attempt': '1' };
    await this.#ask(this.#cloud, 'DELETE', `/instances/${id}`, { query });
  }

  /** The watches are calls of the host too, so they are made here, and their lines are parsed as they must be to be of use. */
  async watch(kind: Kind, onEvent: (event: Watched) => void): Promise<void> {
    const query = { watch: true, resourceVersion: '0' };
    const signal = new AbortController().signal;
    await this.#cluster.stream({ path: pathOf(kind), query, timeoutMs, idleMs: 600_000, signal }, (line) =>
      onEvent(JSON.parse(line) as Watched),
    );
  }

  async #ask(
    client: HttpClient,
    method: HttpMethod,
    path: string,
    more: { body?: Json; query?: HttpQuery } = {},
  ): Promise<Json | undefined> {
    const headers = method === 'PATCH' ? { headers: mergePatch } : {};
    const answer = await client.request({ method, path, timeoutMs, ...more, ...headers });
    if (answer.ok && answer.status < 300) return answer.json();
    this.failures++;
    return undefined;
  }
}

const pathOf = (kind: Kind): string => (kind === 'claim' ? claimsPath : nodesPath);

const metaOf = (answer: Json | undefined): KubeMeta | undefined =>
  (answer as { metadata?: KubeMeta } | undefined)?.metadata;
