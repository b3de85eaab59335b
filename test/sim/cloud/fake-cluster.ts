/** A cluster in memory, for kubelets: nodes with resource versions, and a claim or two. */

import { asObject, isObject, type Json } from '../../../shared/base/json.ts';
import type { Node } from '../../../shared/nodes/claims/spec/types.ts';
import { asNode, type KubeletHook, type NodeAnswer } from '../../../sim/cloud/node-api.ts';

type Fields = { [key: string]: Json };

export class FakeCluster implements KubeletHook {
  readonly nodes = new Map<string, Fields>();
  readonly claims = new Map<string, Json>();
  readonly calls: string[] = [];
  /** What the next calls answer instead of doing anything. */
  readonly outage: NodeAnswer[] = [];
  #version = 0;

  async createNode(node: Json): Promise<NodeAnswer> {
    const name = asNode(node)?.metadata.name ?? '';
    return this.#answer(`create ${name}`, () => {
      if (this.nodes.has(name)) return { answer: 'conflict' };
      return this.#store(name, node as Fields);
    });
  }

  async getNode(name: string): Promise<NodeAnswer> {
    return this.#answer(`get ${name}`, () => {
      const node = this.nodes.get(name);
      return node === undefined ? { answer: 'missing' } : { answer: 'ok', object: node };
    });
  }

  async patchNode(name: string, patch: Json, subresource?: 'status'): Promise<NodeAnswer> {
    return this.#answer(`patch ${name}${subresource === undefined ? '' : '/status'}`, () => {
      const node = this.nodes.get(name);
      if (node === undefined) return { answer: 'missing' };
      const wanted = asNode(patch)?.metadata.resourceVersion;
      if (wanted !== undefined && wanted !== asNode(node)?.metadata.resourceVersion) return { answer: 'conflict' };
      return this.#store(name, merge(node, patch));
    });
  }

  async deleteNode(name: string): Promise<NodeAnswer> {
    return this.#answer(`delete ${name}`, () =>
      this.nodes.delete(name) ? { answer: 'ok', object: null } : { answer: 'missing' },
    );
  }

  async getNodeClaim(name: string): Promise<NodeAnswer> {
    return this.#answer(`claim ${name}`, () => {
      const claim = this.claims.get(name);
      return claim === undefined ? { answer: 'missing' } : { answer: 'ok', object: claim };
    });
  }

  /** The only node there is. */
  get node(): Pick<Node, 'metadata' | 'spec' | 'status'> {
    return asNode([...this.nodes.values()][0] ?? null) ?? { metadata: { name: '', uid: '' } };
  }

  get ready(): string | undefined {
    return this.node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  }

  get taints(): string[] {
    return (this.node.spec?.taints ?? []).map(({ key }) => key);
  }

  #answer(call: string, act: () => NodeAnswer): NodeAnswer {
    this.calls.push(call);
    return this.outage.shift() ?? act();
  }

  #store(name: string, node: Fields): NodeAnswer {
    const stored = merge(node, { metadata: { resourceVersion: String(++this.#version) } });
    this.nodes.set(name, stored);
    return { answer: 'ok', object: stored };
  }
}

function merge(target: Fields, patch: Json): Fields {
  const merged = { ...target };
  for (const [key, value] of Object.entries(asObject(patch) ?? {})) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}
