/** Which clusters have virtual machines: known from the configuration alone, so that who has none loads nothing more. */
import type { ClusterConfig, Config } from './resolve.ts';

export type MachinePlaceConfig = NonNullable<ClusterConfig['machines']>;
export type InProcessConfig = MachinePlaceConfig['inProcess'][string];
export type MachineServerConfig = MachinePlaceConfig['servers'][string];

export const machinePlacesOf = ({ clusters }: Pick<Config, 'clusters'>) =>
  Object.entries(clusters).flatMap(([name, { machines }]) => (machines === undefined ? [] : [{ ...machines, name }]));
