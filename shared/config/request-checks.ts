/** Whether the fields about requests for clusters go together, and with the providers. */
import { asObject } from '../base/json.ts';
import type { CrossProblem } from './cross-checks.ts';
import { statePlace } from './request-places.ts';

const fields = (value: unknown): Record<string, unknown> => asObject(value) ?? {};

export function requestProblems(config: Record<string, unknown>): CrossProblem[] {
  const providers = Object.keys(fields(config.providers));
  const { state, notifications } = fields(config.clusterRequests);
  return [
    ...Object.entries(fields(config.clusters)).flatMap(([name, cluster]) => {
      const { clusterRequests } = fields(cluster);
      const at = ['clusters', name, 'clusterRequests'];
      return placeProblems(at, fields(clusterRequests), providers);
    }),
    ...placeProblems(['clusterRequests', 'state'], fields(state), providers),
    ...(state === undefined ? [] : takenName(fields(config.clusters))),
    ...Object.entries(fields(notifications)).flatMap(([name, target]) => targetProblems(name, fields(target))),
  ];
}

/** Requests of both would have the same keys. */
function takenName(clusters: Record<string, unknown>): CrossProblem[] {
  if (fields(clusters[statePlace]).clusterRequests === undefined) return [];
  const message = 'is the name of the place without a management cluster; give the cluster another name';
  return [{ path: ['clusters', statePlace], message }];
}

function placeProblems(at: string[], place: Record<string, unknown>, providers: readonly string[]): CrossProblem[] {
  const { driver, provider } = place;
  const path = [...at, 'provider'];
  if (typeof provider === 'string' && !providers.includes(provider)) {
    const there = providers.length === 0 ? 'none' : providers.join(', ');
    const message = `is not a configured provider; configured providers: ${there}`;
    return [{ path, message, candidates: [...providers] }];
  }
  if (driver !== 'arm' || provider !== undefined) return [];
  return [{ path, message: 'is missing: the driver arm needs a provider, whose subscription and identity it uses' }];
}

function targetProblems(name: string, { url, urlFile }: Record<string, unknown>): CrossProblem[] {
  const path = ['clusterRequests', 'notifications', name, 'url'];
  if (url !== undefined && urlFile !== undefined) {
    return [{ path, message: 'cannot be combined with urlFile; set only one of them' }];
  }
  if (url !== undefined || urlFile !== undefined) return [];
  return [{ path, message: 'is missing: set it, or urlFile where the address holds a secret' }];
}
