/** `get providers`: who makes machines, for which clusters, and what keeps them from it. */
import type { Json } from '../../../shared/base/json.ts';
import { withHostApi } from '../../reach/host-api.ts';
import type { Listing } from '../../terminal/output/formats.ts';
import type { Getting } from './getting.ts';

interface ProviderRow {
  name: string;
  type: string;
  clusters: string[];
  nodeClasses: string[];
  abilities: string[];
  paused?: string;
  unavailableOfferings: number;
  operationsAtOnce?: number;
}

export async function providers({ options }: Getting): Promise<Listing<ProviderRow>> {
  const { cluster, provider } = options;
  const { items } = await withHostApi(options, (api) => api.ask<{ items: ProviderRow[] }>('GET', '/v1/providers'));
  return {
    rows: items.filter(
      ({ name, clusters }) =>
        (cluster === undefined || clusters.includes(cluster)) && (provider === undefined || name === provider),
    ),
    columns: [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'TYPE', spare: 3, text: ({ type }) => type },
      { title: 'CLUSTERS', spare: 1, text: ({ clusters }) => clusters.join(',') },
      { title: 'NODECLASSES', text: ({ nodeClasses }) => nodeClasses.join(',') || 'none' },
      { title: 'UNAVAILABLE', spare: 2, text: ({ unavailableOfferings }) => String(unavailableOfferings) },
      { title: 'ABILITIES', text: ({ abilities }) => abilities.join(','), wide: true },
      {
        title: 'AT ONCE',
        text: ({ operationsAtOnce }) => (operationsAtOnce === undefined ? 'any' : String(operationsAtOnce)),
        wide: true,
      },
      {
        title: 'PAUSED',
        text: ({ paused }) => (paused === undefined ? 'no' : `yes: ${paused}`),
        style: ({ paused }) => (paused === undefined ? undefined : 'yellow'),
      },
    ],
    name: ({ name }) => `provider/${name}`,
    data: (row): Json => ({ ...row }),
    empty: 'No providers, so no instances can be created. Add one to the configuration, under providers.',
  };
}
