/** What the custom location behind a connected cluster offers. Where the configuration does not name it, the cluster does. */
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { AzureConnection } from '../../platforms/azure/connection.ts';
import { azureCodes } from '../../platforms/azure/error-rules.ts';
import { failureOf, notUnderstood } from '../../platforms/azure/errors.ts';
import { armJson } from '../../platforms/azure/fetch-json.ts';
import type { AzureCatalog } from '../agent-pools/catalog/aks.ts';
import { arcCatalog } from '../agent-pools/catalog/arc.ts';
import type { ProviderContext } from '../context.ts';
import { type ConnectedClusterRef, connectedClusterUri } from './client/agent-pools.ts';
import { apiVersion } from './client/models.ts';

const instanceSchema = z.object({ extendedLocation: z.object({ name: z.string().min(1) }) });

/** What is missing is not the cluster's custom location, but the cluster itself or what holds it. */
const somethingAbove: ReadonlySet<string | undefined> = new Set([
  azureCodes.noSubscription,
  azureCodes.noResourceGroup,
  azureCodes.noCluster,
]);

export function customLocationCatalog(
  connection: AzureConnection,
  cluster: ConnectedClusterRef,
  context: Pick<ProviderContext, 'state' | 'clock' | 'log'>,
): AzureCatalog {
  let found: AzureCatalog | undefined;
  // Clusters may share a location; but its name is only known to whoever has read it.
  const place = connectedClusterUri(cluster).toLowerCase();
  const catalog = async (signal: AbortSignal): Promise<Result<AzureCatalog>> => {
    if (found !== undefined) return ok(found);
    const { customLocation: configured } = cluster;
    const location = configured === undefined ? await customLocationOf(connection, cluster, signal) : ok(configured);
    if (!location.ok) return location;
    const customLocation = location.value;
    found ??= arcCatalog({ context, place, customLocation, skus: (to) => vmSkus(connection, customLocation, to) });
    return ok(found);
  };
  return {
    place,
    instanceTypes: async (nodeClass, signal) => {
      const known = await catalog(signal);
      return known.ok ? known.value.instanceTypes(nodeClass, signal) : known;
    },
    // There are no quotas on one's own machines.
    checkQuota: async () => ok(undefined),
    size: (name) => found?.size(name),
    close: () => found?.close(),
  };
}

async function customLocationOf(
  connection: AzureConnection,
  cluster: ConnectedClusterRef,
  signal: AbortSignal,
): Promise<Result<string>> {
  const { armEndpoint } = connection.options.cloud;
  const uri = `${connectedClusterUri(cluster)}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`;
  const what = `the custom location of connected cluster ${cluster.clusterName}`;
  const read = await armJson(connection, what)(`${armEndpoint}/${uri}?api-version=${apiVersion}`, signal);
  const parsed = read.ok ? instanceSchema.safeParse(read.value) : undefined;
  if (parsed?.success) return ok(parsed.data.extendedLocation.name);
  const isNone = !read.ok && (read.error.kind === 'not-found' || read.error.kind === 'invalid');
  if (!read.ok && (!isNone || somethingAbove.has(read.error.code))) return read;
  return failed(
    'invalid',
    `connected cluster ${cluster.clusterName} has no custom location: agent pools can only be created in clusters that AKS on Azure Arc created; check clusterName and resourceGroup, or set customLocation of the provider`,
    { cause: read.ok ? 'the cluster names none' : read.error.message },
  );
}

async function vmSkus(connection: AzureConnection, customLocation: string, signal: AbortSignal): Promise<Result<Json>> {
  const answer = await connection.exchange(false, async (parts) => {
    const { HybridContainerServiceClient } = await import('./client/hybrid-container-service.ts');
    return new HybridContainerServiceClient(parts).getVMSkus(customLocation, { abortSignal: signal });
  });
  if (!answer.ok) return answer;
  const asked = {
    write: false,
    what: `read the sizes of custom location ${customLocation}`,
    action: 'Microsoft.HybridContainerService/skus/read',
  };
  const { status, body } = answer.value;
  if (status !== 200) return { ok: false, error: failureOf(answer.value, asked, connection.clock) };
  return body === undefined ? { ok: false, error: notUnderstood(answer.value, asked, 'it is not JSON') } : ok(body);
}
