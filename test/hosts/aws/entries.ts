/** The functions that a life on the simulated cloud needs; the provisioners of real clouds would only take time to build. */
import { awsEntries } from '../../../scripts/package/build.ts';

export const neededEntries: string[] = [
  ...awsEntries().filter((entry) => !entry.includes('/provision-')),
  'test/hosts/aws/entries/provision-sim.ts',
];
