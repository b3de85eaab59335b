/**
 * The kubelets of all simulated machines, and the controllers that stand in for them when they are gone. A machine goes
 * through its stages one after the other, each a call or two to the cluster; what fails is tried again.
 *
 * A stage that was done but not stored is done again after a restart, so each looks at what is there first.
 */

import { isObject, type Json } from '../../shared/base/json.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import type { Taint } from '../../shared/nodes/claims/spec/types.ts';
import { taintKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { CatalogType } from './catalog.ts';
import type { InstanceRecord, NodeStage } from './instance.ts';
import { asNode, type KubeletHook, type NodeAnswer } from './node-api.ts';
import {
  type MachineIdentity,
  nodeObject,
  notReadyTaint,
  readyCondition,
  resources,
  simIdentity,
  taintToJson,
} from './node-object.ts';
import type { CloudSettings } from './settings.ts';

type Step = 'join' | 'ready' | 'equip' | 'untaint' | 'lose' | 'remove';

/** `again`: not now. Any other value is the stage that was reached. */
type StepResult = NodeStage | 'again';

/** What happens to a Node whose machine is not as it should be. */
export type KubeletSettings = Pick<
  CloudSettings,
  'taintUntilReady' | 'nodeLostSeconds' | 'cloudControllerSeconds' | 'rejoinDeletedNodes'
>;

interface KubeletOptions {
  api: KubeletHook;
  settings: KubeletSettings;
  types: ReadonlyMap<string, CatalogType>;
  /** Who the machine is, in clouds that have their own labels and providerIDs. */
  identify?: (record: InstanceRecord, type: CatalogType) => MachineIdentity;
  clock: Clock;
  /** How many machines may talk to the cluster at once. */
  concurrency?: number;
  reached: (record: InstanceRecord, stage: NodeStage) => Promise<void>;
  lookAgainAt: (record: InstanceRecord, at: number) => void;
  log: (message: string, fields: Record<string, unknown>) => void;
}

const retryMs = 500;

export class Kubelets {
  readonly #options: KubeletOptions;
  readonly #concurrency: number;
  readonly #identify: NonNullable<KubeletOptions['identify']>;
  readonly #waiting: InstanceRecord[] = [];
  /** Waiting or running: a machine does one thing at a time. */
  readonly #busy = new Set<InstanceRecord>();
  #running = 0;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 32;
    this.#identify = options.identify ?? simIdentity;
  }

  /** Looks whether the machine's next stage is due; plans another look if it is not. May be called at any time. */
  look(record: InstanceRecord): void {
    if (this.#closed || this.#busy.has(record)) return;
    const next = this.#nextStep(record);
    if (next === undefined) return;
    if (next.at > this.#options.clock.now()) {
      this.#options.lookAgainAt(record, next.at);
      return;
    }
    this.#busy.add(record);
    this.#waiting.push(record);
    this.#startSome();
  }

  /** Resolves when no machine has anything to say at this moment of the clock. */
  idle(): Promise<void> {
    if (this.#busy.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#options.api.close?.();
  }

  #startSome(): void {
    while (this.#running < this.#concurrency) {
      const record = this.#waiting.shift();
      if (record === undefined) return;
      this.#running++;
      void this.#run(record).finally(() => {
        this.#running--;
        this.#startSome();
        if (this.#busy.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
      });
    }
  }

  async #run(record: InstanceRecord): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const next = this.#nextStep(record);
      const result = next === undefined ? record.nodeStage : await this.#do(next.step, record);
      if (this.#closed) return;
      if (result === 'again') return this.#options.lookAgainAt(record, clock.now() + retryMs);
      if (result !== record.nodeStage) await this.#options.reached(record, result);
    } catch (error) {
      log('a simulated kubelet failed', { instance: record.id, error });
      this.#options.lookAgainAt(record, clock.now() + retryMs);
      return;
    } finally {
      this.#busy.delete(record);
    }
    this.look(record);
  }

  /** What the machine does next, and when; undefined when it has nothing to do as things are. */
  #nextStep(record: InstanceRecord): { step: Step; at: number } | undefined {
    const { settings } = this.#options;
    const { nodeStage, plan, runningAt, goneAt } = record;
    const after = (step: Step, start: number, seconds: number | null) =>
      seconds === null ? undefined : { step, at: start + Math.round(seconds * 1000) };
    if (nodeStage === 'ended') return undefined;
    if (goneAt !== null) {
      // A machine that ran may have made its Node although that was never stored; one that never ran has none.
      if (nodeStage === 'none' && runningAt === null) return undefined;
      if (nodeStage === 'lost') return after('remove', goneAt, settings.cloudControllerSeconds);
      return (
        after('lose', goneAt, settings.nodeLostSeconds) ?? after('remove', goneAt, settings.cloudControllerSeconds)
      );
    }
    if (runningAt === null) return undefined;
    const registerSeconds = plan.registerSeconds ?? 0;
    const readySeconds = registerSeconds + (plan.readySeconds ?? 0);
    switch (nodeStage) {
      case 'none':
        // A machine that is being shut down does not join any more.
        return record.deletingAt === null ? after('join', runningAt, plan.registerSeconds) : undefined;
      case 'joined':
        return plan.readySeconds === null ? undefined : after('ready', runningAt, readySeconds);
      case 'ready':
        return after('equip', runningAt, readySeconds + plan.gpuSeconds);
      case 'equipped':
        return plan.startupTaintSeconds === null
          ? undefined
          : after('untaint', runningAt, readySeconds + plan.startupTaintSeconds);
      default:
        return undefined;
    }
  }

  #do(step: Step, record: InstanceRecord): Promise<StepResult> {
    const type = this.#options.types.get(record.request.instanceType);
    // A catalog that was changed under a stored instance.
    if (type === undefined) return Promise.resolve('ended');
    switch (step) {
      case 'join':
        return this.#join(record, type);
      case 'ready':
        return this.#becomeReady(record, type);
      case 'equip':
        return this.#equip(record, type);
      case 'untaint':
        return this.#removeStartupTaints(record);
      case 'lose':
        return this.#lose(record);
      case 'remove':
        return this.#remove(record);
    }
  }

  async #join(record: InstanceRecord, type: CatalogType): Promise<StepResult> {
    const { api, clock, settings } = this.#options;
    const { plan } = record;
    const ready = plan.readySeconds === 0;
    const gpus = plan.gpuSeconds === 0;
    const identity = this.#identify(record, type);
    const answer = await api.createNode(
      nodeObject(record, type, clock.now(), { ready, gpus, taint: settings.taintUntilReady }, identity),
    );
    if (answer.answer === 'ok') return ready ? this.#stageWhenReady(record, type) : 'joined';
    if (answer.answer !== 'conflict') return this.#tryAgain(record, 'join', answer);
    // It may be our own, made before a restart or by a request whose answer was lost.
    const existing = await api.getNode(record.id);
    if (existing.answer !== 'ok') return 'again';
    return asNode(existing.object)?.spec?.providerID === identity.providerID ? 'joined' : 'again';
  }

  async #becomeReady(record: InstanceRecord, type: CatalogType): Promise<StepResult> {
    const { api, clock } = this.#options;
    const status = { conditions: [readyCondition('True', clock.now())] };
    const answer = await api.patchNode(record.id, { status }, 'status');
    if (answer.answer === 'missing') return this.#nodeWasDeleted();
    if (answer.answer !== 'ok') return this.#tryAgain(record, 'ready', answer);
    const untainted = await this.#dropTaints(record, answer.object, (taint) => taint.key === notReadyTaint.key);
    return untainted === 'ok' ? this.#stageWhenReady(record, type) : untainted;
  }

  async #equip(record: InstanceRecord, type: CatalogType): Promise<StepResult> {
    if (type.gpus > 0 && record.plan.gpuSeconds > 0) {
      const answer = await this.#options.api.patchNode(record.id, { status: resources(type, true) }, 'status');
      if (answer.answer === 'missing') return this.#nodeWasDeleted();
      if (answer.answer !== 'ok') return this.#tryAgain(record, 'equip', answer);
    }
    return hasOwnTaints(record) ? 'equipped' : 'complete';
  }

  /**
   * The agent that a startup taint waits for. Which of the taints are startup taints stands on the claim that owns the
   * Node, so there is nothing to do before the Node is registered.
   */
  async #removeStartupTaints(record: InstanceRecord): Promise<StepResult> {
    const { api } = this.#options;
    const answer = await api.getNode(record.id);
    if (answer.answer === 'missing') return this.#nodeWasDeleted();
    if (answer.answer !== 'ok') return this.#tryAgain(record, 'untaint', answer);
    const owner = asNode(answer.object)?.metadata.ownerReferences?.find(({ kind }) => kind === 'NodeClaim');
    if (owner === undefined) return 'again';
    const claim = await api.getNodeClaim(owner.name);
    if (claim.answer === 'missing') return 'complete';
    if (claim.answer !== 'ok') return this.#tryAgain(record, 'untaint', claim);
    const startup = startupTaintsOf(claim.object);
    const untainted = await this.#dropTaints(record, answer.object, (taint) =>
      startup.some((other) => other.key === taint.key && other.effect === taint.effect),
    );
    return untainted === 'ok' ? 'complete' : untainted;
  }

  async #lose(record: InstanceRecord): Promise<StepResult> {
    const { api, clock, settings } = this.#options;
    const status = { conditions: [readyCondition('Unknown', clock.now())] };
    const answer = await api.patchNode(record.id, { status }, 'status');
    if (answer.answer === 'missing') return 'ended';
    if (answer.answer !== 'ok') return this.#tryAgain(record, 'lose', answer);
    return settings.cloudControllerSeconds === null ? 'ended' : 'lost';
  }

  async #remove(record: InstanceRecord): Promise<StepResult> {
    const answer = await this.#options.api.deleteNode(record.id);
    return answer.answer === 'ok' || answer.answer === 'missing' ? 'ended' : this.#tryAgain(record, 'remove', answer);
  }

  async #dropTaints(record: InstanceRecord, object: Json, drop: (taint: Taint) => boolean): Promise<'ok' | StepResult> {
    const node = asNode(object);
    const taints = node?.spec?.taints ?? [];
    if (node === undefined || !taints.some(drop)) return 'ok';
    // Lists are replaced as a whole, so the patch holds only for the version that was read.
    const patch = {
      metadata: { resourceVersion: node.metadata.resourceVersion ?? '' },
      spec: { taints: taints.filter((taint) => !drop(taint)).map(taintToJson) },
    };
    const answer = await this.#options.api.patchNode(record.id, patch);
    if (answer.answer === 'missing') return this.#nodeWasDeleted();
    return answer.answer === 'ok' ? 'ok' : 'again';
  }

  #stageWhenReady(record: InstanceRecord, type: CatalogType): NodeStage {
    if (type.gpus > 0 && record.plan.gpuSeconds > 0) return 'ready';
    return hasOwnTaints(record) ? 'equipped' : 'complete';
  }

  #nodeWasDeleted(): NodeStage {
    return this.#options.settings.rejoinDeletedNodes ? 'none' : 'ended';
  }

  #tryAgain(record: InstanceRecord, step: Step, answer: NodeAnswer): 'again' {
    if (answer.answer === 'retry') {
      this.#options.log('the cluster rejected a status of a simulated kubelet', {
        instance: record.id,
        step,
        reason: answer.message,
      });
    }
    return 'again';
  }
}

/** Taints that somebody asked for and that are not removed by registration itself. */
const hasOwnTaints = (record: InstanceRecord): boolean =>
  record.request.taints.some((taint) => taint.key !== taintKeys.unregistered);

function startupTaintsOf(claim: Json): Pick<Taint, 'key' | 'effect'>[] {
  const spec = isObject(claim) ? claim.spec : undefined;
  const listed = isObject(spec) && Array.isArray(spec.startupTaints) ? spec.startupTaints : [];
  return listed as ({ [key: string]: Json } & Pick<Taint, 'key' | 'effect'>)[];
}
