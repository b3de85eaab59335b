/** How the stand-in for CloudStack behaves when nothing goes wrong. Seconds may be fractions. */
import { type MachineSettings, managedMachines } from '../cloud/settings.ts';

export interface CloudStackSettings extends MachineSettings {
  /** What listCapabilities calls itself. */
  version: string;
  /** From the deploy to Running. */
  bootSeconds: number;
  /** From the destroy to Destroyed or, where it is expunged, to nothing. */
  destroySeconds: number;
  /** From start, stop, reboot, scale to their end. */
  powerSeconds: number;
  /** Every other job: tags, affinity groups, volumes. */
  jobSeconds: number;
  /** A destroyed VM can be recovered for so long, and then it is expunged: `expunge.delay`. */
  expungeDelaySeconds: number;
  /** A job is remembered for so long: `job.expire.minutes`. */
  jobKeptSeconds: number;
  /** `allow.user.expunge.recover.vm`. */
  userMayExpunge: boolean;
  /** `allow.user.view.destroyed.vm`. */
  userSeesDestroyed: boolean;
  /** `enforce.post.requests.and.timestamps`. */
  enforcePost: boolean;
  /** `default.page.size`: what a list without pages shows, and the largest page. */
  pageSize: number;
  /** `api.throttling`: so many calls of an account per interval; null is no limit. */
  callLimit: number | null;
  callLimitSeconds: number;
  /** `vm.userdata.max.length`, of the encoded text. */
  userDataLength: number;
  /** The code of a command that the role does not have: 401 with the roles of today, 432 with those of old. */
  refusedCommandCode: 401 | 432;
  /** `instance.lease.enabled`. */
  leases: boolean;
  /** Most VMs at a time by `<zone>/<what>`, where what is a host tag or the name of an offering; `*` may stand for either part. */
  capacity: Readonly<Record<string, number>>;
  /** Limits of the account of the plain user, by the names of listResourceLimits: user_vm, cpu, memory (MiB), volume, primary_storage (GiB), gpu. */
  limits: Readonly<Record<string, number>>;
  /** The code of a limit that is reached. */
  limitCode: 532 | 535;
}

export const defaultSettings: CloudStackSettings = {
  version: '4.21.0.0',
  bootSeconds: 1,
  destroySeconds: 1,
  powerSeconds: 1,
  jobSeconds: 0,
  expungeDelaySeconds: 86_400,
  jobKeptSeconds: 86_400,
  userMayExpunge: true,
  userSeesDestroyed: false,
  enforcePost: true,
  pageSize: 500,
  callLimit: null,
  callLimitSeconds: 1,
  userDataLength: 32_768,
  refusedCommandCode: 401,
  leases: true,
  capacity: {},
  limits: {},
  limitCode: 535,
  ...managedMachines,
};
