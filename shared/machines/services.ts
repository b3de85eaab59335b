/** What the activities of virtual machines are given to work with. A host builds it once; a test hands in a driver of its own. */
import type { Result } from '../base/result.ts';
import type { Clock, Random } from '../base/runtime.ts';
import type { MachineDriver } from '../drivers/contract.ts';
import type { ClusterApi } from '../kube/contract.ts';
import type { Log } from '../observe/log/log.ts';
import type { ClusterLeadership } from '../ownership/standing.ts';
import type { WorkflowClient } from '../workflow/contract.ts';
import type { ProviderObject } from './core/objects.ts';

export type MachineRef = { cluster: string; namespace: string; name: string; uid: string };

export interface MachineSettings {
  /** How long one call that creates may take. It ends with the call of the driver. */
  createSeconds: number;
  /** After that, how late an effect may still appear, and how far a list may lag. */
  latenessSeconds: number;
  /** The longest pause between two looks at a task. */
  pollSeconds: number;
  /** After a refusal; it doubles with each, up to ten minutes. */
  retrySeconds: number;
  /** A machine counts as gone when it was not there twice, so far apart. */
  graceSeconds: number;
}

export const usualMachineSettings: MachineSettings = {
  createSeconds: 100,
  latenessSeconds: 20,
  pollSeconds: 10,
  retrySeconds: 10,
  graceSeconds: 10,
};

/** One cluster with the kinds. */
export interface MachinePlace {
  readonly name: string;
  readonly api: ClusterApi;
  readonly settings: MachineSettings;
  /** Kept open by the host, and the same one for the same Provider. */
  driverFor(provider: ProviderObject, signal?: AbortSignal): Promise<Result<MachineDriver>>;
  /** Why nothing new may be made or changed now; undefined: it may. Removals go on. */
  paused?(): Promise<string | undefined>;
}

export interface MachineServices {
  place(name: string): MachinePlace | undefined;
  readonly places: readonly MachinePlace[];
  readonly ownership: ClusterLeadership;
  readonly workflows: WorkflowClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
