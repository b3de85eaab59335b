/** `poolwright demo --clusters`: the story of whole clusters. */
import { watchable } from '../../../../sim/aso/settings.ts';
import { startClustersWorld } from '../../../../sim/scenes/azure-clusters.ts';
import { type Opened, play } from '../frame.ts';
import type { Proof } from '../proof.ts';
import { openScreen } from '../screen.ts';
import { createRequestRows, requestTable } from './rows.ts';
import { location, served, tellRequestStory } from './story.ts';
import { openRequests, type RequestSight, type RequestWorld } from './world.ts';

export function demoClusters(): Promise<number> {
  const screen = openScreen(process.stdout, requestTable);
  const title = 'a management cluster with a stand-in for Azure Service Operator starts';
  return play(screen, title, async ({ base }): Promise<Opened<RequestSight>> => {
    const azure = await startClustersWorld({
      directory: base,
      aso: { settings: watchable },
      clusters: [served],
      location,
    });
    const world = openRequests(azure);
    const rowsOf = createRequestRows();
    return {
      look: () => world.look(),
      show: ({ requests }) => screen.show(rowsOf(requests, Date.now())),
      config: {
        deployment: 'demo',
        clusters: {
          management: { server: azure.world.cluster.url, clusterRequests: { retryAfter: 2, pollAtMost: 1 } },
        },
        providers: { aks: { ...azure.provider, deadlines: { launch: '30s' } } },
        http: { port: 0 },
      },
      env: azure.env,
      tell: (frame) => tellRequestStory({ ...frame, world, now: Date.now }),
      prove: () => prove(world),
      readFrom: "the management cluster and from Azure's ledger",
      close: async () => {
        world.close();
        await azure.close();
      },
    };
  });
}

async function prove(world: RequestWorld): Promise<Proof[]> {
  const { requests, living, machines, clustersMade } = await world.look();
  return [
    { what: 'requests left in the management cluster', count: requests.length, expected: 0 },
    { what: 'resources left in Azure', count: living.length, expected: 0 },
    { what: 'machines left in Azure', count: machines, expected: 0 },
    { what: 'clusters ever made, one for each request', count: clustersMade, expected: 2 },
    { what: 'times that a request had something twice', count: world.twice(), expected: 0 },
  ];
}
