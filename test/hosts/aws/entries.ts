/** The functions that a life on the simulated cloud needs; the provisioners of real clouds would only take time to build. */
import { type AwsEntry, awsEntries, provisionerEntry } from '../../../scripts/package/build.ts';

export const neededEntries: readonly AwsEntry[] = [
  ...awsEntries().filter(({ provider }) => provider === undefined),
  provisionerEntry('sim'),
];
