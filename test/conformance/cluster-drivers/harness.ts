/** What a driver brings to its suite: an Azure behind it, a clock that tests move, and ways to break things. */
import type { Failure, Result } from '../../../shared/base/result.ts';
import type { ClusterDriver } from '../../../shared/clusters/drivers/contract.ts';
import type { Manifest, PlannedStage } from '../../../shared/clusters/manifests/manifest.ts';
import { planRequest } from '../../../shared/clusters/plan/plan.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../../../shared/clusters/request/schema.ts';
import type { Stage } from '../../../shared/clusters/request/stages.ts';
import { advanceManagement } from '../../../shared/clusters/steps/management-stage.ts';
import type { Progress } from '../../../shared/clusters/steps/progress.ts';
import type { AzureWorld } from '../../../sim/aso/azure/world.ts';

export interface AzureRefusal {
  code: string;
  message: string;
}

export interface DriverWorld {
  /** Calls of the driver pass through here: it dies where a test says so. */
  gate: Gate;
  driver: ClusterDriver;
  /** As another process would have one. */
  anotherDriver(): ClusterDriver;
  azure: AzureWorld;
  subscription: string;
  /** Lets so many seconds pass. */
  pass(seconds: number): Promise<void>;
  /** Azure refuses PUTs of this kind, the first so many times, with status 400. */
  refuse(kind: string, refusal: AzureRefusal, count?: number): void;
  /** What is begun for this kind ends badly. */
  failLater(kind: string, refusal: AzureRefusal): void;
  /** After this, nothing is tried again by itself for a long time. */
  makeSleepy(kind: string): void;
  /** Azure refuses to delete this kind. */
  refuseDelete(kind: string, refusal: AzureRefusal): void;
  noFaults(): void;
  close(): Promise<void>;
}

export interface DriverUnderTest {
  name: ClusterDriver['name'];
  /** It knows of everything in Azure, not only of objects. */
  seesAllOfAzure: boolean;
  start(): Promise<DriverWorld>;
}

/** The point at which a process dies: before its call so-and-so is sent, or when the answer is on its way. */
export class Gate {
  calls = 0;
  #dies: { at: number; when: 'before' | 'after' } | undefined;

  die(at: number, when: 'before' | 'after'): void {
    this.calls = 0;
    this.#dies = { at, when };
  }

  live(): void {
    this.#dies = undefined;
  }

  async pass<T>(call: () => Promise<Result<T>>): Promise<Result<T>> {
    const number = this.calls++;
    if (this.#dies === undefined || number < this.#dies.at) return await call();
    const dead: Failure = { kind: 'unavailable', message: 'the process is dead' };
    if (number === this.#dies.at && this.#dies.when === 'after') await call();
    return { ok: false, error: dead };
  }
}

/** What our own generator makes of a request. */
export function stagesFor(
  spec: Partial<ClusterRequestSpec> = {},
  name = 'web',
  uid = `uid-of-${name}`,
): readonly PlannedStage[] {
  const request = {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'ClusterRequest',
    metadata: { name, namespace: 'team-a', uid },
    spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
  };
  const plan = planRequest(request, { types: builtInPoolTypes, today: '2026-11-19', deployment: 'test' });
  if (!plan.valid) throw new Error(JSON.stringify(plan.findings));
  return plan.stages;
}

export function stageOf(stages: readonly PlannedStage[], stage: Stage): PlannedStage {
  const found = stages.find((one) => one.stage === stage);
  if (found === undefined) throw new Error(`the request has no stage ${stage}`);
  return found;
}

export function manifestIn(stages: readonly PlannedStage[], kind: string): Manifest {
  const found = stages.flatMap(({ manifests }) => manifests).find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`the request has no ${kind}`);
  return found;
}

/** As a workflow does it, until the stage is ready, has failed, or so many rounds are over. */
export async function bring(
  world: DriverWorld,
  driver: ClusterDriver,
  stage: PlannedStage,
  rounds = 40,
): Promise<Progress> {
  let progress: Progress = { state: 'pending', waitingFor: 'the first round' };
  for (let round = 0; round < rounds; round++) {
    progress = await advanceManagement(driver, stage, () => {}, new AbortController().signal);
    if (progress.state !== 'pending') return progress;
    await world.pass(20);
  }
  return progress;
}

/** What comes before a stage. */
export async function bringBefore(world: DriverWorld, stages: readonly PlannedStage[], before: Stage): Promise<void> {
  for (const stage of stages) {
    if (stage.stage === before) return;
    await bring(world, world.driver, stage);
  }
}

/** Everything of a request that is in Azure; throws unless all of it is ready. */
export async function bringAll(
  world: DriverWorld,
  driver: ClusterDriver,
  stages: readonly PlannedStage[],
): Promise<void> {
  for (const stage of stages.filter(({ cluster }) => cluster === 'management')) {
    const progress = await bring(world, driver, stage);
    if (progress.state !== 'ready') throw new Error(`${stage.stage}: ${JSON.stringify(progress)}`);
  }
}
