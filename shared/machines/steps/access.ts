/** Reading an object of a kind, and changing it only as it was read. */
import type { JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ClusterApi, KubeObject, Resource } from '../../kube/contract.ts';
import { machineKinds } from '../api/kinds.ts';
import type { VirtualMachine, VMSnapshot } from '../core/objects.ts';
import type { MachineRef } from '../services.ts';

type Stored = KubeObject & { metadata: { namespace: string } };

interface MetadataChange {
  annotations?: Readonly<Record<string, string | null>>;
  finalizers?: readonly string[];
}

/** Of one kind. */
const accessTo = <T extends Stored>(kind: Resource) => ({
  /** Undefined: it is gone, or another one has its name. */
  async read(api: ClusterApi, ref: MachineRef, signal?: AbortSignal): Promise<Result<T | undefined>> {
    const { namespace, name } = ref;
    const read = await api.get<T>(kind, { namespace, name }, signal);
    if (read.ok) return ok(read.value.metadata.uid === ref.uid ? read.value : undefined);
    return read.error.kind === 'not-found' ? ok(undefined) : read;
  },
  /** `conflict`: it has changed since. Nothing is written then, and the step decides anew. */
  patchMetadata(
    api: ClusterApi,
    { metadata: { namespace, name, uid, resourceVersion } }: T,
    { annotations, finalizers }: MetadataChange,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    const metadata: JsonObject = { uid, resourceVersion };
    if (annotations) metadata.annotations = { ...annotations };
    if (finalizers) metadata.finalizers = [...finalizers];
    return api.mergePatch<T>(kind, { namespace, name }, { metadata }, {}, signal);
  },
  /** Of the status of a custom resource the server compares no uid. The version alone says which object it was. */
  async patchStatus(
    api: ClusterApi,
    object: T,
    status: JsonObject | undefined,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    if (status === undefined) return ok(object);
    const { namespace, name, resourceVersion } = object.metadata;
    const patch = { metadata: { resourceVersion }, status };
    return await api.mergePatch<T>(kind, { namespace, name }, patch, { subresource: 'status' }, signal);
  },
});

export const { read: readMachine, patchMetadata, patchStatus } = accessTo<VirtualMachine>(machineKinds.virtualMachine);
export const snapshotAccess = accessTo<VMSnapshot>(machineKinds.snapshot);
