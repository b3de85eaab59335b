/** Names of everything that a request makes. They derive from the request alone, so that a step can run any number of times. */
import { nodeCrypto } from '../../base/node-modules.ts';

/** What fits into a label, and so into the name of anything that others refer to by a label. */
const longest = 63;
export const longestNodeResourceGroup = 80;
const longestDnsPrefix = 54;

const digest = (text: string): string => nodeCrypto().createHash('sha256').update(text).digest('hex');

/** Cut to a length, without a collision: what is cut off leaves a mark. */
export function shortened(name: string, limit = longest): string {
  if (name.length <= limit) return name;
  const mark = digest(name).slice(0, 8);
  return `${name.slice(0, limit - mark.length - 1).replace(/[-_.]+$/, '')}-${mark}`;
}

export const objectName = (request: string, ending: string): string => shortened(`${request}-${ending}`);

/** As AKS would name it. */
export const usualNodeResourceGroup = (resourceGroup: string, cluster: string, location: string): string =>
  `MC_${resourceGroup}_${cluster}_${location}`;

/** Undefined if AKS can name it itself; its name may have 80 characters and no more. */
export function neededNodeResourceGroup(resourceGroup: string, cluster: string, location: string): string | undefined {
  const usual = usualNodeResourceGroup(resourceGroup, cluster, location);
  return usual.length <= longestNodeResourceGroup ? undefined : shortened(usual, longestNodeResourceGroup);
}

/** A DNS prefix has neither underscores nor dots, and is shorter than a cluster's name can be. */
export const usualDnsPrefix = (cluster: string): string =>
  cluster
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, longestDnsPrefix)
    .replace(/^-+|-+$/g, '');

/** Size and disk of an agent pool never change, so a pool with others is another pool. */
export function agentPoolName(type: string, fixed: readonly string[]): string {
  const letters = type
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^[^a-z]+/, '')
    .slice(0, 8);
  return `${letters || 'pool'}${digest(fixed.join('\n')).slice(0, 4)}`;
}

/** The same each time for the same request and purpose. Azure wants a GUID as the name of a role assignment. */
export function stableGuid(...parts: readonly string[]): string {
  const hex = digest(parts.join('\n'));
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
