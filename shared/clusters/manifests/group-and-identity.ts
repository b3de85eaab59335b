/** Resource group, identity, and the roles that the identity needs before there is a cluster. */
import { objectName } from '../resolved/names.ts';
import type { Generation } from './context.ts';
import type { Manifest } from './manifest.ts';
import { credentialObjectName, objectNames, roleAssignmentName } from './object-names.ts';

type Versions = (
  kind: 'ResourceGroup' | 'UserAssignedIdentity' | 'RoleAssignment' | 'FederatedIdentityCredential',
) => string;

export function resourceGroup({ resolved, context, tags, aso }: Generation, version: Versions): Manifest {
  const { location, resourceGroup: azureName, name } = resolved;
  const spec = { azureName, location, tags: { ...tags, ...context.recordTags } };
  return aso('ResourceGroup', objectNames(name).resourceGroup, spec, version('ResourceGroup'));
}

/** Whether an identity is created: else it is the system's, or one that exists. */
export const createsIdentity = ({ resolved: { identity } }: Generation): boolean =>
  identity.type === 'UserAssigned' && identity.resourceID === undefined;

export function identityAndRoles(made: Generation, version: Versions): Manifest[] {
  if (!createsIdentity(made)) return [];
  const { resolved, tags, aso } = made;
  const names = objectNames(resolved.name);
  const exported = (key: string) => ({ name: names.identity, key });
  const identity = aso(
    'UserAssignedIdentity',
    names.identity,
    {
      location: resolved.location,
      owner: { name: names.resourceGroup },
      tags,
      operatorSpec: { configMaps: { principalId: exported('principalId'), clientId: exported('clientId') } },
    },
    version('UserAssignedIdentity'),
  );
  const { subnetID, podSubnetID, privateDNSZone } = resolved.network;
  const zone = privateDNSZone?.startsWith('/') ? privateDNSZone : undefined;
  const scopes = [
    { purpose: 'subnet', scope: subnetID, role: 'Network Contributor' },
    { purpose: 'pod-subnet', scope: podSubnetID === subnetID ? undefined : podSubnetID, role: 'Network Contributor' },
    { purpose: 'dns-zone', scope: zone, role: 'Private DNS Zone Contributor' },
  ] as const;
  const roles = scopes.flatMap(({ purpose, scope, role }) =>
    scope === undefined
      ? []
      : [
          aso(
            'RoleAssignment',
            objectName(resolved.name, purpose),
            {
              azureName: roleAssignmentName(made.owner, purpose, scope),
              owner: { armId: scope },
              principalIdFromConfig: exported('principalId'),
              principalType: 'ServicePrincipal',
              roleDefinitionReference: { wellKnownName: role },
            },
            version('RoleAssignment'),
          ),
        ],
  );
  return [identity, ...roles];
}

/** They name the issuer of the cluster, so they come after it. */
export function federatedCredentials({ resolved, aso }: Generation, version: Versions): Manifest[] {
  const names = objectNames(resolved.name);
  return resolved.identity.federatedCredentials.map((one) => {
    const [namespace = '', account = ''] = one.serviceAccount.split('/');
    return aso(
      'FederatedIdentityCredential',
      credentialObjectName(resolved.name, one.name),
      {
        azureName: one.name,
        owner: { name: names.identity },
        audiences: [one.audience],
        issuerFromConfig: { name: names.oidc, key: 'issuer' },
        subject: `system:serviceaccount:${namespace}:${account}`,
      },
      version('FederatedIdentityCredential'),
    );
  });
}
