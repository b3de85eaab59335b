/** `aws:///eu-west-1a/i-0123456789abcdef0` → `i-0123456789abcdef0`; undefined for a providerID that is not one of EC2. */
import { type InstanceIdPattern, instanceIdOf } from '../instance-id.ts';

export const instanceIds: readonly InstanceIdPattern[] = [{ pattern: '^aws:///[a-z0-9-]+/(i-[0-9a-z]+)$' }];

export const instanceIdIn = (providerID: string): string | undefined => instanceIdOf({ instanceIds }, providerID);
