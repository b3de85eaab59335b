/** `cloudstack://zone-01/6c7f…` → `6c7f…`; undefined for a providerID that is not one of CloudStack. */
import { type InstanceIdPattern, instanceIdOf } from '../instance-id.ts';

/** The zone is as nodes carry it. */
export const instanceIds: readonly InstanceIdPattern[] = [
  { pattern: '^cloudstack://[A-Za-z0-9._-]+/([0-9a-fA-F-]{36})$' },
];

export const instanceIdIn = (providerID: string): string | undefined => instanceIdOf({ instanceIds }, providerID);
