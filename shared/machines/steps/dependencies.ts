/** Everything that a VirtualMachine refers to, read from the cluster. Many machines share it, so an answer is kept for a moment. */
import { defined } from '../../base/defined.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type KubeObject, type Resource, secrets } from '../../kube/contract.ts';
import { machineKinds } from '../api/kinds.ts';
import {
  nameIn,
  type ObjectName,
  type ProviderObject,
  type Reference,
  type VirtualMachine,
  type VMNetworkAttachment,
} from '../core/objects.ts';
import type { Dependencies } from '../core/spec.ts';
import type { MachinePlace, MachineServices } from '../services.ts';

const keptMs = 2000;
const mostKept = 5000;

type Kept = RecentMap<string, { at: number; object: Promise<Result<KubeObject>> }>;
const kept = new WeakMap<MachinePlace, Kept>();

interface Asking {
  services: Pick<MachineServices, 'clock'>;
  place: MachinePlace;
  signal: AbortSignal;
}

async function read<T extends KubeObject>(
  { services: { clock }, place, signal }: Asking,
  resource: Resource,
  { namespace, name }: ObjectName,
): Promise<Result<T>> {
  const known = kept.get(place) ?? new RecentMap({ max: mostKept });
  kept.set(place, known);
  const key = `${resource.plural}/${namespace}/${name}`;
  const before = known.get(key);
  const fresh = before !== undefined && clock.now() - before.at < keptMs;
  const object = fresh ? before.object : place.api.get<KubeObject>(resource, { namespace, name }, signal);
  if (!fresh) known.set(key, { at: clock.now(), object });
  const answer = await object;
  // What is missing or refused may be there in a moment.
  if (!answer.ok) known.delete(key);
  return answer as Result<T>;
}

/** `not-found`: the message names the field and what is missing. */
export async function readDependencies(asking: Asking, machine: VirtualMachine): Promise<Result<Dependencies>> {
  const { spec, metadata } = machine;
  const { namespace } = metadata;
  const get = async <T extends KubeObject>(resource: Resource, ref: Reference, path: string): Promise<Result<T>> => {
    const where = nameIn(namespace, ref);
    const answer = await read<T>(asking, resource, where);
    if (answer.ok || answer.error.kind !== 'not-found') return answer;
    const message = `${path}: there is no ${resource.kind} ${where.namespace}/${where.name}; create it, or name another one`;
    return failed('not-found', message);
  };
  const maybe = async <T extends KubeObject>(resource: Resource, ref: Reference | undefined, path: string) =>
    ref === undefined ? ok(undefined) : await get<T>(resource, ref, path);

  const provider = await get<Dependencies['provider']>(machineKinds.provider, spec.providerRef, 'spec.providerRef');
  if (!provider.ok) return provider;
  const vmClass = await get<Dependencies['class']>(machineKinds.class, spec.classRef, 'spec.classRef');
  if (!vmClass.ok) return vmClass;
  const image = await maybe<NonNullable<Dependencies['image']>>(machineKinds.image, spec.imageRef, 'spec.imageRef');
  if (!image.ok) return image;
  const policy = await maybe<NonNullable<Dependencies['policy']>>(
    machineKinds.placement,
    spec.placementRef,
    'spec.placementRef',
  );
  if (!policy.ok) return policy;
  const networks: Record<string, VMNetworkAttachment> = {};
  for (const [index, { name, networkRef }] of (spec.networks ?? []).entries()) {
    if (networkRef === undefined) continue;
    const path = `spec.networks[${index}].networkRef`;
    const network = await get<VMNetworkAttachment>(machineKinds.network, networkRef, path);
    if (!network.ok) return network;
    networks[name] = network.value;
  }
  const user = spec.userData?.ignition ?? spec.userData?.cloudInit;
  const userData = await textOf(asking, namespace, user, 'spec.userData');
  if (!userData.ok) return userData;
  const metaData = await textOf(asking, namespace, spec.metaData?.cloudInit, 'spec.metaData');
  if (!metaData.ok) return metaData;
  return ok({
    provider: provider.value,
    class: vmClass.value,
    networks,
    ...defined({
      image: image.value,
      policy: policy.value,
      userData: userData.value,
      metaData: metaData.value,
    }),
  });
}

export const readProvider = (asking: Asking, ref: ObjectName): Promise<Result<ProviderObject>> =>
  read<ProviderObject>(asking, machineKinds.provider, ref);

type Secret = KubeObject & { data?: Readonly<Record<string, string>> };

/** Of a Secret the one value, or the one under a name that is usual for it. It goes to the provider and nowhere else. */
async function textOf(
  asking: Asking,
  namespace: string,
  from: { inline?: string | undefined; secretRef?: { name: string } | undefined } | undefined,
  path: string,
): Promise<Result<string | undefined>> {
  if (from?.secretRef === undefined) return ok(from?.inline);
  const { name } = from.secretRef;
  const secret = await read<Secret>(asking, secrets, { namespace, name });
  if (!secret.ok) {
    if (secret.error.kind !== 'not-found') return secret;
    return failed('not-found', `${path}: there is no Secret ${namespace}/${name}; create it, or write the text inline`);
  }
  const data = secret.value.data ?? {};
  const keys = Object.keys(data);
  const key = keys.length === 1 ? keys[0] : usualKeys.find((one) => data[one] !== undefined);
  const value = key === undefined ? undefined : data[key];
  if (value !== undefined) return ok(Buffer.from(value, 'base64').toString('utf8'));
  const message = `${path}: Secret ${namespace}/${name} has several keys; name the right one ${usualKeys[0]}`;
  return failed('not-found', message);
}

const usualKeys = ['userdata', 'userData', 'user-data', 'cloud-init', 'ignition', 'metadata', 'value'];
