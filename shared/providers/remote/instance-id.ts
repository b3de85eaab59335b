/**
 * `remote://vsphere-a/web-1-pwa…` → `vsphere-a/web-1-pwa…`: the server, and the name of the machine. The name is known before the machine is
 * made, so its kubelet can be told, and it has the attempt in it, so no other machine ever has the same.
 */
import { type InstanceIdPattern, instanceIdOf } from '../instance-id.ts';

export const instanceIds: readonly InstanceIdPattern[] = [{ pattern: '^remote://([a-z0-9-]{1,63}/[a-z0-9-]{1,63})$' }];

export const instanceIdFor = (server: string, name: string): string => `${server}/${name}`;
export const providerIdFor = (server: string, name: string): string => `remote://${instanceIdFor(server, name)}`;

export const instanceIdIn = (providerID: string): string | undefined => instanceIdOf({ instanceIds }, providerID);

/** Undefined for what is no id of ours. */
export function placeIn(id: string): { server: string; name: string } | undefined {
  const [, server, name] = /^([a-z0-9-]{1,63})\/([a-z0-9-]{1,63})$/.exec(id) ?? [];
  return server === undefined || name === undefined ? undefined : { server, name };
}
