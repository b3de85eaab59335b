/** How machines behave as nodes, whatever cloud they are of. Seconds may be fractions. */
export interface MachineSettings {
  /** From running until the kubelet makes its Node; null is never. */
  registerSeconds: number | null;
  /** From the Node's first sight to Ready; null is never. */
  readySeconds: number | null;
  /** Whether a Node has the taint of one that is not Ready until it is; elsewhere a controller of the cluster sees to it. */
  taintUntilReady: boolean;
  /** From Ready until the device plugin reports the GPUs; 0 has them there from the start. */
  gpuSeconds: number;
  /** From Ready until a simulated agent removes the claim's startup taints; null is never. */
  startupTaintSeconds: number | null;
  /** From the end of a machine until its Node stops being Ready; null leaves the Node as it is. */
  nodeLostSeconds: number | null;
  /** From the end of a machine until a cloud controller deletes its Node; null has no such controller. */
  cloudControllerSeconds: number | null;
  /** A kubelet whose Node was deleted makes it again. */
  rejoinDeletedNodes: boolean;
  /** Lists show the world as it was so long ago. */
  listLagSeconds: number;
}

/** How the simulated cloud behaves when nothing goes wrong. */
export interface CloudSettings extends MachineSettings {
  /** What makes a repeated create harmless: a client token, the name, or nothing. */
  idempotency: 'token' | 'name' | 'none';
  /** From the create to running; a node class can ask for another time. */
  bootSeconds: number;
  /** From the delete to gone. */
  deleteSeconds: number;
  /** The most living instances; null is no limit. */
  quota: number | null;
}

/** In the cluster of a cloud: its controller manager takes the Node away with its machine. */
export const managedMachines: MachineSettings = {
  registerSeconds: 0,
  readySeconds: 0.2,
  taintUntilReady: true,
  gpuSeconds: 0,
  startupTaintSeconds: 0.2,
  nodeLostSeconds: null,
  cloudControllerSeconds: 0,
  rejoinDeletedNodes: false,
  listLagSeconds: 0,
};

export const defaultSettings: CloudSettings = {
  idempotency: 'token',
  bootSeconds: 1,
  deleteSeconds: 0,
  ...managedMachines,
  // Nobody takes the Node away here; it is lost with its machine.
  nodeLostSeconds: 1,
  cloudControllerSeconds: null,
  quota: null,
};

/** Everything at once: what benchmarks measure is then not the cloud. */
export const zeroLatency: Partial<CloudSettings> = {
  bootSeconds: 0,
  deleteSeconds: 0,
  registerSeconds: 0,
  readySeconds: 0,
  startupTaintSeconds: 0,
  nodeLostSeconds: null,
};
