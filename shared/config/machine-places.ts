/** Which clusters have virtual machines: known from the configuration alone, so that who has none loads nothing more. */
import type { Config } from './resolve.ts';

export const machinePlacesOf = ({ clusters }: Pick<Config, 'clusters'>) =>
  Object.entries(clusters).flatMap(([name, { machines }]) =>
    machines === undefined ? [] : [{ ...machines, name }],
  );
