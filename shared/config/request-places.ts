/** Where requests for clusters are made: known from the configuration alone, so that who carries none out loads nothing more. */
import type { Config } from './resolve.ts';

/** The name of the place without a management cluster. */
export const statePlace = 'state';

export interface RequestPlaceConfig {
  name: string;
  driver: 'aso' | 'arm';
  /** Of the configuration. */
  provider?: string | undefined;
  driftEvery: number;
  retryAfter: number;
  pollAtMost: number;
  everySeconds: number;
  /** Below which its fields stand. */
  path: string;
}

export function requestPlacesOf({ clusters, clusterRequests }: Pick<Config, 'clusters' | 'clusterRequests'>) {
  const inClusters = Object.entries(clusters).flatMap(([name, { clusterRequests: place }]): RequestPlaceConfig[] =>
    place === undefined ? [] : [{ ...place, name, path: `clusters.${name}.clusterRequests` }],
  );
  const { state } = clusterRequests;
  const inState: RequestPlaceConfig[] =
    state === undefined ? [] : [{ ...state, name: statePlace, driver: 'arm', path: 'clusterRequests.state' }];
  return [...inClusters, ...inState];
}

/** Nobody else pays for the register of clusters, or for the code that makes them. */
export const makesClusters = (config: Pick<Config, 'clusters' | 'clusterRequests'>): boolean =>
  requestPlacesOf(config).length > 0;
