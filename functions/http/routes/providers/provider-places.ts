/**
 * A list over every provider of every cluster, page by page: one provider of one cluster after the other, because each is asked by
 * itself. `after` of a request says where the last page ended.
 */
import { z } from '@hono/zod-openapi';
import type { ClusterServices } from '../../../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../../../declaration.ts';

/** One provider of one cluster. */
export interface ProviderCursor {
  cluster: string;
  provider: string;
}

export interface Position extends ProviderCursor {
  /** Where in the list of that provider; absent at its beginning. */
  after?: string;
}

export type ProviderOfCluster = ClusterServices['providers'][number];

export interface WantedPlaces {
  cluster: string | undefined;
  provider: string | undefined;
  serves?(provider: ProviderOfCluster): boolean;
}

/** In the order of the configuration. */
export const placesOf = (services: FunctionServices, { cluster, provider, serves }: WantedPlaces): ProviderCursor[] =>
  services.clusters
    .filter(({ name }) => cluster === undefined || name === cluster)
    .flatMap(({ name, providers }) =>
      providers
        .filter((one) => (provider === undefined || one.name === provider) && (serves?.(one) ?? true))
        .map((one) => ({ cluster: name, provider: one.name })),
    );

const positionSchema = z.strictObject({
  cluster: z.string(),
  provider: z.string(),
  after: z.string().exactOptional(),
});

export const unknownPosition = 'In the query: after must be the next of an earlier page.';

/** Where a request begins: undefined if there is no place at all, `unknown` if `after` is of no page of these places. */
export function positionIn(
  places: readonly ProviderCursor[],
  after: string | undefined,
): Position | undefined | 'unknown' {
  if (after === undefined) return places[0];
  const position = readPosition(after);
  return position !== undefined && indexOf(places, position) >= 0 ? position : 'unknown';
}

/** The `next` of a page; absent behind the last one. @param rest Where the list of the provider goes on, if it does. */
export function nextOf(
  places: readonly ProviderCursor[],
  position: Position,
  rest: string | undefined,
): { next?: string } {
  const next = rest === undefined ? places[indexOf(places, position) + 1] : { ...position, after: rest };
  return next === undefined ? {} : { next: Buffer.from(JSON.stringify(next)).toString('base64url') };
}

const indexOf = (places: readonly ProviderCursor[], { cluster, provider }: ProviderCursor): number =>
  places.findIndex((one) => one.cluster === cluster && one.provider === provider);

function readPosition(text: string): Position | undefined {
  try {
    return positionSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
