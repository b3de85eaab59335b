/** How the stand-in for AWS behaves when nothing goes wrong. Seconds may be fractions. */
import { type MachineSettings, managedMachines } from '../cloud/settings.ts';

/** A token bucket: so many requests at once, and so many more with every second. */
export interface RequestBucket {
  burst: number;
  refillPerSecond: number;
}

export interface AwsSettings extends MachineSettings {
  /** From the fleet's answer until its instance runs. */
  pendingSeconds: number;
  /** From the call to the instance's end. */
  shutdownSeconds: number;
  /** For so long an ended instance is still shown. */
  terminatedVisibleSeconds: number;
  /** A client token is good for so long; after that the same one makes something new. */
  clientTokenSeconds: number;
  /** From a spot warning to the end of the machine. */
  spotNoticeSeconds: number;
  /** What is listed per page at most, whatever is asked for. */
  pageSize: number;
  /** By action; others are never throttled. `*` is one bucket for each action that has none of its own. */
  buckets: Readonly<Record<string, RequestBucket>>;
  /** Most vCPUs that run on demand and as spot, by the classes of the quotas: Standard, G, P, Inf, Trn, DL. */
  vcpuQuota: Readonly<Record<string, number>>;
  spotVcpuQuota: Readonly<Record<string, number>>;
  /** Most instances of an offering at a time, by `type/zone/spot|on-demand`; `*` may stand for each part. */
  capacity: Readonly<Record<string, number>>;
  /** Whether the role that spot needs is there, or may be made. */
  spotRole: boolean;
}

export const defaultSettings: AwsSettings = {
  pendingSeconds: 1,
  shutdownSeconds: 1,
  terminatedVisibleSeconds: 3600,
  clientTokenSeconds: 86_400,
  spotNoticeSeconds: 120,
  pageSize: 1000,
  buckets: {},
  vcpuQuota: {},
  spotVcpuQuota: {},
  capacity: {},
  spotRole: true,
  ...managedMachines,
};
