/**
 * gpu-provisioner, as far as its rules for pools and claims go: which pools it takes for its own, which it takes for leaks, how it finds
 * the Node of a pool, and how it ends a claim. It talks to ARM by itself, with the API version that it has.
 */
import { request } from 'node:https';
import { nodes } from '../../shared/kube/contract.ts';
import { terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import type { AzureTestWorld } from './azure-world.ts';

interface TheirPool {
  name: string;
  properties: { nodeLabels?: Record<string, string>; provisioningState?: string };
}

const createdLabel = 'kaito.sh/creation-timestamp';
const ownLabels = ['kaito.sh/workspace', 'kaito.sh/ragengine'];
/** A pool this young may belong to a claim that has not been seen yet. */
const youngMs = 30_000;

export function gpuProvisioner(world: AzureTestWorld) {
  const { azure } = world;
  const { subscription, resourceGroup, name } = azure.clusters.find(({ kind }) => kind === 'aks')!;
  const cluster = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.ContainerService/managedClusters/${name}`;
  const poolUrl = (pool = '') => `${azure.url}${cluster}/agentPools${pool && `/${pool}`}?api-version=2024-01-01`;

  const send = (method: string, url: string, headers: Record<string, string>, body = '') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request(url, { method, ca: azure.certificate, headers, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      asked.on('error', reject).end(body);
    });

  const arm = async (method: string, url: string) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: azure.clientId,
      client_secret: azure.secret,
      scope: 'https://management.azure.com/.default',
    });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const given = await send('POST', `${azure.authority}/${azure.tenant}/oauth2/v2.0/token`, type, form.toString());
    return send(method, url, { authorization: `Bearer ${JSON.parse(given.text).access_token}` });
  };

  const list = async (): Promise<TheirPool[]> => {
    const owned: TheirPool[] = [];
    for (let url: string | undefined = poolUrl(); url !== undefined; ) {
      const page: { value: TheirPool[]; nextLink?: string } = JSON.parse((await arm('GET', url)).text);
      const isOwned = ({ properties: { nodeLabels = {} } }: TheirPool) =>
        ownLabels.some((label) => label in nodeLabels) && 'karpenter.sh/nodepool' in nodeLabels;
      owned.push(...page.value.filter(isOwned));
      url = page.nextLink;
    }
    return owned;
  };

  /** The one Node of the pool, by both of its labels. */
  const nodeOf = async (pool: string) => {
    const found = (await world.nodes()).filter(
      ({ metadata: { labels = {} } }) => labels.agentpool === pool && labels['kubernetes.azure.com/agentpool'] === pool,
    );
    return found.length === 1 && found[0]?.spec?.providerID ? found[0] : undefined;
  };

  return {
    list,
    nodeOf,
    /** Every two minutes: the names of the pools that it takes for leaks, and deletes. */
    async collect(): Promise<string[]> {
      const claims = new Set((await world.claims()).map(({ metadata }) => metadata.name));
      const isOld = (label: string | undefined) => {
        const [day, time] = (label ?? '').split('T');
        const created = Date.parse(`${day}T${time?.replaceAll('-', ':')}`);
        return Number.isNaN(created) || world.clock.now() - created > youngMs;
      };
      const leaked = (await list()).filter(
        ({ name, properties: { provisioningState, nodeLabels } }) =>
          provisioningState !== 'Deleting' && !claims.has(name) && isOld(nodeLabels?.[createdLabel]),
      );
      for (const pool of leaked) await arm('DELETE', poolUrl(pool.name));
      return leaked.map((pool) => pool.name);
    },
    /** The pool that a provider id leads to: the second part of the scale set's name. */
    poolIn: (providerID: string): string | undefined =>
      /^azure:\/\/\/subscriptions\/.*\/resourceGroups\/.*\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/([^/]+)\/virtualMachines\/.*$/
        .exec(providerID)?.[1]
        ?.split('-')[1],
    /** What it does for a claim that is being deleted, until nothing is left. */
    async end(claimName: string): Promise<void> {
      for (let round = 0; round < 20 && (await arm('GET', poolUrl(claimName))).status !== 404; round += 1) {
        await arm('DELETE', poolUrl(claimName));
        world.clock.advance(10_000);
        await azure.settle();
      }
      for (const { metadata } of await world.nodes()) {
        const { name, uid } = metadata;
        await world.api.mergePatch(nodes, { name }, { metadata: { finalizers: [] } });
        await world.api.delete(nodes, { name }, { uid });
      }
      const claim = await world.claim(claimName);
      const rest = claim?.metadata.finalizers?.filter((one) => one !== terminationFinalizer) ?? [];
      await world.patchClaim(claimName, { metadata: { finalizers: rest } });
    },
  };
}
