/** The driver `arm`: asks Azure Resource Manager for what manifests say, so that a first cluster needs no other cluster. */
import type { Result } from '../../../base/result.ts';
import type { AzureConnection } from '../../../platforms/azure/connection.ts';
import type { Owner } from '../../resolved/tags.ts';
import type { ClusterDriver } from '../contract.ts';

export interface ArmDriverOptions {
  /** With its own identity; whoever opened it closes it. */
  connection: AzureConnection;
  /** Where all requests of the place are carried out. */
  subscriptionId: string;
}

export interface ArmDriver extends ClusterDriver {
  readonly name: 'arm';
  /** Gives everything that has the marks of one request those of another one. Safe to repeat. Answers how much it changed. */
  handOver(uid: string, to: Owner, signal?: AbortSignal): Promise<Result<number>>;
}

export function createArmDriver(_options: ArmDriverOptions): ArmDriver {
  throw new Error('not there yet');
}
