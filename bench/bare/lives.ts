/** One claim's life as bare calls: the same kinds, as often as the host makes them, in the order in which it makes them. */
import type { Calls } from '../harness/calls.ts';
import {
  claimStatus,
  eventAbout,
  type KubeMeta,
  keepPodsAway,
  newInstance,
  openAttempt,
  registerNode,
  withoutFinalizer,
} from './bodies.ts';
import type { BareCalls, Kind } from './calls.ts';
import { type CallPlan, timesFor } from './plan.ts';

/** Called where the host commits; the baseline without commits does nothing. */
export type Commit = (what: 'event' | 'receive' | 'start' | 'step' | 'note') => Promise<void>;

interface Life {
  claim: KubeMeta;
  instance: { id: string };
}

export class BareLives {
  readonly #calls: BareCalls;
  readonly #plan: CallPlan;
  readonly #commit: Commit;
  readonly #nodeReady: (name: string) => Promise<void>;
  readonly #lives = new Map<string, Life>();
  #index = 0;

  constructor(parts: {
    calls: BareCalls;
    plan: CallPlan;
    commit: Commit;
    nodeReady: (name: string) => Promise<void>;
  }) {
    this.#calls = parts.calls;
    this.#plan = parts.plan;
    this.#commit = parts.commit;
    this.#nodeReady = parts.nodeReady;
  }

  async launch(seen: KubeMeta): Promise<void> {
    const budget = new Budget(this.#plan.launch, this.#index++);
    const { name } = seen;
    await this.#commit('event');
    await this.#commit('receive');
    let claim = await this.#read(budget, 'claim', name, 1, seen);
    await this.#commit('start');
    claim = await this.#read(budget, 'claim', name, 1, claim);
    await this.#rare(budget);
    await this.#commit('note');
    await this.#commit('step');
    // One read is kept for after the create.
    claim = await this.#read(budget, 'claim', name, budget.left('GET nodeclaims/*') - 1, claim);
    if (budget.take('PATCH nodeclaims/*'))
      claim = (await this.#calls.patch('claim', name, openAttempt(claim))) ?? claim;
    const instance = budget.take('POST instances') ? await this.#calls.createInstance(newInstance(claim)) : undefined;
    if (instance === undefined) throw new Error('the cloud made no instance for the bare client');
    this.#lives.set(claim.uid, { claim, instance });
    await this.#commit('note');
    await this.#commit('step');

    while (budget.left('PATCH nodeclaims/*/status') > 1) {
      budget.take('PATCH nodeclaims/*/status');
      claim = (await this.#calls.patch('claim', name, claimStatus(claim, instance, false), '/status')) ?? claim;
    }
    claim = await this.#read(budget, 'claim', name, budget.left('GET nodeclaims/*'), claim);
    while (budget.take('GET instances/*')) await this.#calls.readInstance(instance.id);
    await this.#nodeReady(instance.id);
    let node: KubeMeta | undefined;
    while (budget.take('GET nodes/*')) node = await this.#calls.read('node', instance.id);
    // The host may know a node from its event; a patch needs one to go by.
    node ??= await this.#calls.read('node', instance.id);
    while (node && budget.take('PATCH nodes/*')) {
      node = (await this.#calls.patch('node', instance.id, registerNode(node, claim))) ?? node;
    }
    if (budget.take('PATCH nodeclaims/*/status')) {
      await this.#calls.patch('claim', name, claimStatus(claim, instance, true), '/status');
    }
    while (budget.take('POST events')) await this.#calls.createEvent(eventAbout(claim, instance));
    await this.#commit('note');
    await this.#commit('step');
    budget.assertSpent();
  }

  async terminate(seen: KubeMeta): Promise<void> {
    const life = this.#lives.get(seen.uid);
    if (life === undefined) return;
    this.#lives.delete(seen.uid);
    const budget = new Budget(this.#plan.terminate, this.#index++);
    const { name, uid } = seen;
    const { id } = life.instance;
    // That a claim is Ready is told after its status says so: for some, when the deleting has begun.
    while (budget.take('POST events')) await this.#calls.createEvent(eventAbout(life.claim, life.instance));
    await this.#read(budget, 'claim', name, budget.left('GET nodeclaims/*') - 1, seen);
    await this.#rare(budget);
    let node: KubeMeta | undefined;
    while (budget.left('GET nodes/*') > 1 && budget.take('GET nodes/*')) node = await this.#calls.read('node', id);
    while (node && budget.left('PATCH nodes/*') > 1 && budget.take('PATCH nodes/*')) {
      node = (await this.#calls.patch('node', id, keepPodsAway(node))) ?? node;
    }
    while (budget.take('GET pods')) await this.#calls.other('/api/v1/pods', { fieldSelector: `spec.nodeName=${id}` });
    while (budget.take('DELETE instances/*')) await this.#calls.deleteInstance(id, uid);
    while (budget.take('GET instances/*')) await this.#calls.readInstance(id);
    while (budget.take('GET instances')) await this.#calls.findInstances(uid);
    const claim = await this.#read(budget, 'claim', name, budget.left('GET nodeclaims/*'), seen);
    while (budget.take('GET nodes/*')) node = (await this.#calls.read('node', id)) ?? node;
    node ??= await this.#calls.read('node', id);
    while (node && budget.take('PATCH nodes/*')) {
      node = (await this.#calls.patch('node', id, withoutFinalizer(node))) ?? node;
    }
    while (node && budget.take('DELETE nodes/*')) await this.#calls.delete('node', id, node.uid);
    while (budget.take('PATCH nodeclaims/*')) await this.#calls.patch('claim', name, withoutFinalizer(claim));
    budget.assertSpent();
  }

  async #read(budget: Budget, kind: Kind, name: string, times: number, known: KubeMeta): Promise<KubeMeta> {
    let latest = known;
    for (let count = 0; count < times && budget.take('GET nodeclaims/*'); count++) {
      latest = (await this.#calls.read(kind, name)) ?? latest;
    }
    return latest;
  }

  /** What is kept for a few seconds, and so asked for only now and then. */
  async #rare(budget: Budget): Promise<void> {
    while (budget.take('GET simnodeclasses/*')) {
      await this.#calls.other('/apis/poolwright.dev/v1alpha1/simnodeclasses/bench');
    }
    while (budget.take('GET volumeattachments')) {
      await this.#calls.other('/apis/storage.k8s.io/v1/volumeattachments');
    }
    while (budget.take('GET namespaces/*')) await this.#calls.other('/api/v1/namespaces/kube-system');
  }
}

/** The calls that are still to be made for one claim. */
class Budget {
  readonly #left: Map<string, number>;

  constructor(calls: Calls, index: number) {
    this.#left = new Map(Object.entries(calls).map(([kind, average]) => [kind, timesFor(average, index)]));
  }

  left(kind: string): number {
    return this.#left.get(kind) ?? 0;
  }

  take(kind: string): boolean {
    const left = this.left(kind);
    if (left > 0) this.#left.set(kind, left - 1);
    return left > 0;
  }

  /** A kind that the host has begun to make and this file does not know would make the baseline too quick. */
  assertSpent(): void {
    for (const [kind, left] of this.#left) {
      if (left > 0)
        throw new Error(`the bare client does not know how to make "${kind}": add it to bench/bare/lives.ts`);
    }
  }
}
