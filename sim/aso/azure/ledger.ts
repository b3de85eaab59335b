/** Questions for the end of a test: what is left, and whether anything was there twice. */
import type { AzureResource } from './resource.ts';
import { tagsOf } from './resource.ts';

/** The tag by which our requests mark what is theirs. */
const requestTag = 'poolwright-cluster-request-uid';

export const requestOf = ({ body }: AzureResource): string | undefined => {
  const uid = tagsOf(body)[requestTag];
  return typeof uid === 'string' ? uid : undefined;
};

/** Living resources of requests that are not among these. */
export const leaked = (ledger: readonly AzureResource[], requests: ReadonlySet<string>): AzureResource[] =>
  ledger.filter((one) => {
    const uid = requestOf(one);
    return one.goneAt === null && uid !== undefined && !requests.has(uid);
  });

/** Pairs of one type that one request had at the same time, of types of which it needs one. */
export function doubled(ledger: readonly AzureResource[], types: readonly string[] = onlyOne): [string, string][] {
  const found: [string, string][] = [];
  const byRequest = Map.groupBy(
    ledger.filter(({ type }) => types.includes(type)),
    (one) => `${one.type} ${requestOf(one) ?? one.id}`,
  );
  for (const list of byRequest.values()) {
    list.forEach((one, index) => {
      for (const other of list.slice(index + 1)) {
        if (one.goneAt === null || one.goneAt > other.createdAt) found.push([one.id, other.id]);
      }
    });
  }
  return found;
}

const onlyOne = [
  'Microsoft.Resources/resourceGroups',
  'Microsoft.ContainerService/managedClusters',
  'Microsoft.ManagedIdentity/userAssignedIdentities',
];
