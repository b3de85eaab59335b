/** What stands on the objects beside spec and status: ours, and what people write to be heard. */

/** Holds a VirtualMachine until its machine is gone. */
export const machineFinalizer = 'poolwright.dev/virtual-machine';

/** Holds a VMSnapshot until its snapshot is gone. */
export const snapshotFinalizer = 'poolwright.dev/vm-snapshot';

export const machineAnnotations = {
  /** Ours: what may have been made, written before the provider is asked. */
  record: 'poolwright.dev/machine-record',
  /** The same on a VMSnapshot. */
  snapshot: 'poolwright.dev/snapshot-record',
  /** The id of a machine that exists: it becomes this object's machine, and none is made. */
  adopts: 'poolwright.dev/adopts',
  /** `true`: a change that needs a stopped machine may stop and start it. */
  allowRestart: 'poolwright.dev/allow-restart',
  /** `true`: the object goes although its machine cannot be deleted. */
  forceDelete: 'virtrigaud.io/force-delete',
} as const;

/** On a Provider. */
export const providerAnnotations = {
  /** `true`: machines that exist get a VirtualMachine object each. */
  adopt: 'virtrigaud.io/adopt-vms',
  /** Which of them: JSON. */
  filter: 'virtrigaud.io/adopt-filter',
} as const;

export const adoptedLabel = 'virtrigaud.io/adopted';

export const machineConditions = {
  ready: 'Ready',
  provisioning: 'Provisioning',
  reconfiguring: 'Reconfiguring',
  deleting: 'Deleting',
} as const;

/** Reasons that VirtRigaud gives; a problem of ours has its own code instead. */
export const machineReasons = {
  success: 'ReconcileSuccess',
  error: 'ReconcileError',
  provider: 'ProviderError',
  validation: 'ValidationError',
  creating: 'Creating',
  deleting: 'Deleting',
  updating: 'Updating',
  waiting: 'WaitingForDependencies',
  task: 'TaskInProgress',
} as const;
