/** Reading a VirtualMachine, and changing it only as it was read. */
import type { JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import { machineKinds } from '../api/kinds.ts';
import type { VirtualMachine } from '../core/objects.ts';
import type { MachineRef } from '../services.ts';

/** Undefined: it is gone, or another one has its name. */
export async function readMachine(
  api: ClusterApi,
  ref: MachineRef,
  signal?: AbortSignal,
): Promise<Result<VirtualMachine | undefined>> {
  const { namespace, name } = ref;
  const read = await api.get<VirtualMachine>(machineKinds.virtualMachine, { namespace, name }, signal);
  if (read.ok) return ok(read.value.metadata.uid === ref.uid ? read.value : undefined);
  return read.error.kind === 'not-found' ? ok(undefined) : read;
}

interface MetadataChange {
  annotations?: Readonly<Record<string, string | null>>;
  finalizers?: readonly string[];
}

/** `conflict`: it has changed since. Nothing is written then, and the step decides anew. */
export function patchMetadata(
  api: ClusterApi,
  { metadata: { namespace, name, uid, resourceVersion } }: VirtualMachine,
  { annotations, finalizers }: MetadataChange,
  signal?: AbortSignal,
): Promise<Result<VirtualMachine>> {
  const metadata: JsonObject = { uid, resourceVersion };
  if (annotations) metadata.annotations = { ...annotations };
  if (finalizers) metadata.finalizers = [...finalizers];
  return api.mergePatch<VirtualMachine>(machineKinds.virtualMachine, { namespace, name }, { metadata }, {}, signal);
}

/** Of the status of a custom resource the server compares no uid. The version alone says which object it was. */
export async function patchStatus(
  api: ClusterApi,
  machine: VirtualMachine,
  status: JsonObject | undefined,
  signal?: AbortSignal,
): Promise<Result<VirtualMachine>> {
  if (status === undefined) return ok(machine);
  const { namespace, name, resourceVersion } = machine.metadata;
  const patch = { metadata: { resourceVersion }, status };
  const options = { subresource: 'status' } as const;
  return await api.mergePatch<VirtualMachine>(machineKinds.virtualMachine, { namespace, name }, patch, options, signal);
}
