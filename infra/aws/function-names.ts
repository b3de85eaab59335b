/** The functions that serverless.yml deploys. The bundle of each is `dist/aws/<name>/`. */
export const functionNames = [
  'watch-events',
  'watch-interruptions',
  'http',
  'reconcile',
  'collect-garbage',
  'workflows',
  'steps',
  'provision-ec2',
  'provision-aks',
  'provision-arc',
] as const;

export type FunctionName = (typeof functionNames)[number];

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
