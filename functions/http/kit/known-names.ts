/** Names that a request may speak of, and what to say about those that it may not. */
import { didYouMean } from '../../../shared/base/nearest.ts';
import { cutText } from '../../../shared/base/text.ts';
import type { FunctionServices } from '../../declaration.ts';

export const clusterNames = (services: FunctionServices): string[] => services.clusters.map(({ name }) => name);

export const providerNames = (services: FunctionServices): string[] => [
  ...new Set(services.clusters.flatMap((cluster) => cluster.providers.map(({ name }) => name))),
];

/** Begins a reason as a sentence. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `cluster "prod" is not in the configuration; did you mean "production"?` */
export function unknownName(kind: 'cluster' | 'provider', written: string, known: readonly string[]): string {
  return `${kind} ${JSON.stringify(cutText(written, 64))} is not in the configuration${didYouMean(written, known)}`;
}
