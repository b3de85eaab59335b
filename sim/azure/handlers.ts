/** Finds who answers a call; says no where there is no such subscription, group or cluster. */
import { type Answer, wrapped } from './answer.ts';
import type { ArmRequest, Handlers, Handling } from './api.ts';
import type { CatalogCalls } from './catalog/catalog-calls.ts';
import type { ClusterCalls } from './cluster-calls.ts';
import type { AzureCluster } from './clusters.ts';
import type { PoolCalls } from './pool-calls.ts';
import type { CallKind, Route, Verb } from './routes.ts';

interface HandlerParts {
  clusters: readonly AzureCluster[];
  pools: PoolCalls;
  clusterCalls: ClusterCalls;
  catalog: CatalogCalls;
}

export function armHandlers({ clusters, pools, clusterCalls, catalog }: HandlerParts): Handlers {
  const byId = new Map(clusters.map((cluster) => [cluster.id.toLowerCase(), cluster]));
  const groups = new Set(clusters.map(({ id }) => groupOf(id)));
  const subscriptions = new Set(clusters.map(({ subscription }) => subscription.toLowerCase()));
  const places = new Set(clusters.flatMap(({ customLocation }) => customLocation?.toLowerCase() ?? []));

  const missing = (kind: CallKind, answer: Answer): Handling => ({
    kind,
    operation: 'get',
    subject: {},
    perform: () => answer,
  });

  const noResource = (id: string): Answer => {
    const [, , subscription = '', , group = '', , ...type] = id.split('/');
    if (!subscriptions.has(subscription.toLowerCase())) return noSubscription(subscription);
    if (!groups.has(groupOf(id))) {
      return wrapped(404, { code: 'ResourceGroupNotFound', message: `Resource group '${group}' could not be found.` });
    }
    return wrapped(404, {
      code: 'ResourceNotFound',
      message:
        `The Resource '${type.join('/')}' under resource group '${group}' was not found. ` +
        'For more details please go to https://aka.ms/ARMResourceNotFoundFix',
    });
  };

  const ofCluster = (
    route: Extract<Route, { cluster: string }>,
    verb: Verb,
    request: ArmRequest,
    cluster: AzureCluster,
  ): Handling | undefined => {
    switch (route.to) {
      case 'pools':
        return verb === 'GET' ? pools.list(cluster, request) : undefined;
      case 'pool':
        return pools.one(cluster, route.name, verb, request);
      case 'machines':
        return verb === 'GET' ? pools.machines(cluster, route.name) : undefined;
      case 'cluster':
        return verb === 'GET' ? clusterCalls.get(cluster) : undefined;
      case 'instance':
        return verb === 'GET' ? clusterCalls.instance(cluster) : undefined;
      case 'permissions':
        return verb === 'GET' ? clusterCalls.permissions(cluster, request) : undefined;
      case 'credentials':
        return verb === 'POST' ? clusterCalls.credentials(cluster, route.admin) : undefined;
    }
  };

  return {
    handle: (route, verb, request) => {
      if ('cluster' in route) {
        const cluster = byId.get(route.cluster.toLowerCase());
        return cluster === undefined
          ? missing(kindOf(route, verb), noResource(route.cluster))
          : ofCluster(route, verb, request, cluster);
      }
      if (verb !== 'GET') return undefined;
      if (route.to === 'operation') return pools.operation(route.id, route.style);
      if ('customLocation' in route) {
        if (!places.has(route.customLocation.toLowerCase()))
          return missing('skus.list', noResource(route.customLocation));
        return route.to === 'arc-skus'
          ? catalog.arcSkus(route.customLocation)
          : catalog.arcVersions(route.customLocation);
      }
      if (!subscriptions.has(route.subscription.toLowerCase())) {
        return missing(route.to === 'skus' ? 'skus.list' : 'usages.list', noSubscription(route.subscription));
      }
      return route.to === 'skus' ? catalog.skus(request) : catalog.usages(route.location);
    },
  };
}

const groupOf = (id: string): string => id.split('/').slice(0, 5).join('/').toLowerCase();

const noSubscription = (subscription: string): Answer =>
  wrapped(404, {
    code: 'SubscriptionNotFound',
    message: `The subscription '${subscription}' could not be found.`,
  });

function kindOf(route: Extract<Route, { cluster: string }>, verb: Verb): CallKind {
  if (route.to === 'pool')
    return ({ GET: 'pools.get', PUT: 'pools.put', DELETE: 'pools.delete', POST: 'pools.put' } as const)[verb];
  if (route.to === 'pools') return 'pools.list';
  return route.to === 'credentials' ? 'clusters.credentials' : 'clusters.get';
}
