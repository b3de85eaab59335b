/** What a subscription of Azure says before a cluster is made in it. Every question only reads, and may fail: then a check is skipped. */
import type { Result } from '../../base/result.ts';
import type { AzurePrices } from '../price/prices.ts';

/** A VM size in a location. */
export interface VmSize {
  name: string;
  /** The quota that its cores count against, as usages name it. */
  family: string;
  cpu: number;
  /** Cores that count against the quota. */
  quotaCores: number;
  memoryMiB: number;
  zones: readonly string[];
  /** Why the subscription can't have it there at all. */
  restricted?: string;
  /** Zones in which the subscription can't have it. */
  restrictedZones?: readonly string[];
}

/** By the name of the quota in lower case; a negative limit is none. */
export type Usages = Readonly<Record<string, readonly [limit: number, used: number, title: string]>>;

/** The quota of all cores of a location. */
export const regionalCores = 'cores';

export interface AksVersion {
  /** Like `1.35`. */
  minor: string;
  patches: readonly string[];
  preview?: true;
  supportPlans: readonly string[];
}

export interface FoundResource {
  location: string;
  tags: Readonly<Record<string, string>>;
}

export interface AzureFacts {
  readonly subscription: string;
  /** Where AKS is offered. */
  locations(signal: AbortSignal): Promise<Result<readonly string[]>>;
  /** State by resource provider, in lower case. */
  registrations(signal: AbortSignal): Promise<Result<Readonly<Record<string, string>>>>;
  versions(location: string, signal: AbortSignal): Promise<Result<readonly AksVersion[]>>;
  sizes(location: string, signal: AbortSignal): Promise<Result<readonly VmSize[]>>;
  usages(location: string, signal: AbortSignal): Promise<Result<Usages>>;
  prices(location: string, signal: AbortSignal): Promise<Result<AzurePrices>>;
  /** Undefined: there is none. */
  group(name: string, signal: AbortSignal): Promise<Result<FoundResource | undefined>>;
  cluster(group: string, name: string, signal: AbortSignal): Promise<Result<FoundResource | undefined>>;
}
