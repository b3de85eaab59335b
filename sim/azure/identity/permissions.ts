/** What a principal must be allowed to do for a call, and what it hears when it is not. */
import { type Answer, wrapped } from '../answer.ts';
import type { Route, Verb } from '../routes.ts';
import type { Principal, TokenCheck } from './tokens.ts';

const aksPools = 'Microsoft.ContainerService/managedClusters/agentPools';
const arcInstances = 'Microsoft.HybridContainerService/provisionedClusterInstances';
const verbs = { GET: 'read', PUT: 'write', DELETE: 'delete', POST: 'action' } as const;

/** Undefined: whoever is signed in may do it. */
export function actionOf(route: Route, verb: Verb): string | undefined {
  const arc = 'cluster' in route && /\/connectedClusters\//i.test(route.cluster);
  switch (route.to) {
    case 'pool':
    case 'pools':
      return `${arc ? `${arcInstances}/agentPools` : aksPools}/${verbs[verb]}`;
    case 'machines':
      return `${aksPools}/machines/read`;
    case 'cluster':
      return arc ? 'Microsoft.Kubernetes/connectedClusters/read' : 'Microsoft.ContainerService/managedClusters/read';
    case 'instance':
      return `${arcInstances}/read`;
    case 'permissions':
      return 'Microsoft.Authorization/permissions/read';
    case 'credentials':
      if (arc) return `${arcInstances}/${route.admin ? 'listAdminKubeconfig' : 'listUserKubeconfig'}/action`;
      return `Microsoft.ContainerService/managedClusters/${
        route.admin ? 'listClusterAdminCredential' : 'listClusterUserCredential'
      }/action`;
    case 'arc-skus':
      return 'Microsoft.HybridContainerService/skus/read';
    case 'arc-versions':
      return 'Microsoft.HybridContainerService/kubernetesVersions/read';
    case 'skus':
      return 'Microsoft.Compute/skus/read';
    case 'usages':
      return 'Microsoft.Compute/locations/usages/read';
    case 'operation':
      return undefined;
  }
}

export const mayDo = ({ denied }: Principal, action: string): boolean =>
  !denied.some((pattern) =>
    pattern.endsWith('*')
      ? action.toLowerCase().startsWith(pattern.slice(0, -1).toLowerCase())
      : action.toLowerCase() === pattern.toLowerCase(),
  );

export const forbidden = ({ clientId, objectId }: Principal, action: string, scope: string): Answer =>
  wrapped(403, {
    code: 'AuthorizationFailed',
    message:
      `The client '${clientId}' with object id '${objectId}' does not have authorization to perform action '${action}' ` +
      `over scope '${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
  });

export function unauthenticated(
  why: Extract<TokenCheck, { ok: false }>['why'] | 'audience',
  authority: string,
  audience = '',
): Answer {
  const [code, message] = {
    missing: ['AuthenticationFailed', "Authentication failed. The 'Authorization' header is missing."],
    invalid: ['InvalidAuthenticationToken', 'The access token is invalid.'],
    expired: ['ExpiredAuthenticationToken', 'The access token expiry UTC time is earlier than the current UTC time.'],
    audience: [
      'InvalidAuthenticationTokenAudience',
      `The access token has been obtained for wrong audience or resource '${audience}'.`,
    ],
  }[why] as [string, string];
  const challenge = `Bearer authorization_uri="${authority}", error="invalid_token", error_description="${message}"`;
  return wrapped(401, { code, message }, { 'www-authenticate': challenge });
}
