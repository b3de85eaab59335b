import { stepsFunction, watcherNames } from '../../functions/catalog.ts';
import { deployedProviders, provisionerName } from '../../shared/providers/deployed.ts';

const ownNames = ['http', 'reconcile', 'collect-garbage', 'workflows', stepsFunction] as const;

export type FunctionName = (typeof ownNames)[number] | `watch-${string}` | `provision-${string}`;

export const provisionFunction = (type: string): FunctionName => provisionerName(type) as FunctionName;
export const provisionFunctions: readonly FunctionName[] = deployedProviders.map(({ type }) => provisionFunction(type));

/** The functions that serverless.yml deploys. The bundle of each is `dist/aws/<name>/`. */
export const functionNames: readonly FunctionName[] = [
  ...(watcherNames as readonly FunctionName[]),
  ...ownNames,
  ...provisionFunctions,
];

/** osls names the resources of a function so. */
const resourceName = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('-', 'Dash').replaceAll('_', 'Underscore');

export const functionResource = (name: FunctionName): string => `${resourceName(name)}LambdaFunction`;

export const logGroupResource = (name: FunctionName): string => `${resourceName(name)}LogGroup`;

/** Our own: `WatchEventsRole`. */
export const roleResource = (name: FunctionName): string =>
  `${name.replaceAll(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase())}Role`;

/** Whether it must reach clusters. `workflows` talks to Lambda and the state alone, and starts sooner outside of a network. */
export const inNetwork = (name: FunctionName): boolean => name !== 'workflows';
