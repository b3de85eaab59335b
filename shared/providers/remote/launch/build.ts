/** From a claim and its class to the machine that a server is asked for. */
import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { renderUserData } from '../../../bootstrap/render-user-data.ts';
import type { MachineSpec } from '../../../drivers/machine-spec.ts';
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';
import type { ProviderContext } from '../../context.ts';
import type { CreateRequest } from '../../contract.ts';
import { providerIdFor } from '../instance-id.ts';
import { madeTag, ownerTags, textTags } from '../machines/machine-tags.ts';
import type { Made } from '../machines/made.ts';
import { labelsOf, type MachineCatalog, memoryOf, setUpOf } from '../node-class/catalog.ts';
import { imageOf, type MachineNodeClasses } from '../node-class/resolve.ts';
import type { MachineNodeClassSpec, SizeSpec } from '../node-class/schema.ts';
import type { RemoteOptions } from '../options.ts';
import type { Build } from './launch.ts';

export interface BuildParts {
  options: RemoteOptions;
  secret: { namespace: string; name: string };
  context: Pick<ProviderContext, 'clock' | 'secrets'>;
  classes: MachineNodeClasses;
  catalog: MachineCatalog;
}

export async function buildMachine(
  parts: BuildParts,
  request: CreateRequest,
  name: string,
  signal: AbortSignal,
): Promise<Result<Build>> {
  const { classes, catalog, context } = parts;
  const spec = classes.parse(request.nodeClass);
  if (!spec.ok) return spec;
  const found = setUpOf(spec.value, request.offering);
  if (found === undefined) {
    const { instanceType, zone } = request.offering;
    return failed('invalid', `MachineNodeClass ${request.nodeClass.name} has no size ${instanceType} in zone ${zone}`);
  }
  const { size, zone } = found;
  const ready = await classes.ready(request.nodeClass, spec.value, zone.server, signal);
  if (!ready.ok) return ready;
  const given = await textsFor(parts, spec.value, request, zone.server, name, signal);
  if (!given.ok) return given;
  const made: Made = {
    name: request.name,
    claimName: request.claimName,
    ...request.offering,
    createdAt: context.clock.now(),
    imageID: imageOf(spec.value),
    ...resourceTexts(catalog.resourcesOf(size, spec.value)),
    labels: labelsOf(size),
  };
  const { image, networks = [], disks = [], tags = {} } = spec.value;
  const machine: MachineSpec = {
    class: classOf(size),
    image: defined(image),
    networks: networks.map((network) => defined(network)),
    disks: disks.map((disk) => defined(disk)),
    ...(zone.placement === undefined ? {} : { placement: defined(zone.placement) }),
    ...given.value,
    // A server that does not say that it keeps tags may take none of these: names of tags differ between hypervisors.
    tags: [
      ...textTags(tags),
      ...(ready.value.keepsTags ? [...ownerTags(request.owner, request.claimName), madeTag(made)] : []),
    ],
  };
  return ok({ server: zone.server, machine, made });
}

const resourceTexts = ({ capacity, allocatable }: Record<'capacity' | 'allocatable', ResourceList>) => ({
  capacity: texts(capacity),
  allocatable: texts(allocatable),
});

const texts = (resources: ResourceList): Record<string, string> =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, String(amount)]));

const classOf = (size: SizeSpec): MachineSpec['class'] => ({
  cpu: size.cpu,
  memoryMiB: memoryOf(size),
  ...defined({ firmware: size.firmware, extraConfig: size.extraConfig }),
  ...(size.secureBoot === undefined ? {} : { securityProfile: { secureBoot: size.secureBoot } }),
});

async function textsFor(
  { options, secret, context }: BuildParts,
  { userData = '', metaData = '', userDataSettings }: MachineNodeClassSpec,
  request: CreateRequest,
  server: string,
  name: string,
  signal: AbortSignal,
): Promise<Result<Pick<MachineSpec, 'userData' | 'metaData'>>> {
  const rendered = async (text: string, field: string): Promise<Result<string | undefined>> => {
    if (text.trim() === '') return ok(undefined);
    if (userDataSettings?.template === false) return ok(text);
    const { clusterName, clusterEndpoint, clusterCA, kubernetesVersion } = options;
    return renderUserData(text, {
      field,
      node: {
        ...request,
        ...request.offering,
        ...{ clusterName, clusterEndpoint, clusterCA, kubernetesVersion },
        name,
        id: name,
        providerID: providerIdFor(server, name),
      },
      secret: { ...secret, read: () => context.secrets.read(secret, signal) },
    });
  };
  const user = await rendered(userData, 'spec.userData');
  if (!user.ok) return user;
  const meta = await rendered(metaData, 'spec.metaData');
  return meta.ok ? ok(defined({ userData: user.value, metaData: meta.value })) : meta;
}
