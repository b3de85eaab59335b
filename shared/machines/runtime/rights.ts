/** What running the pods of Providers takes in a cluster. Secrets are made and not read: the credentials of hypervisors are none of our business. */
import type { Right, Verb } from '../../kube/rights.ts';
import { machineGroup } from '../api/kinds.ts';
import { authoritySecret } from './authority.ts';

/** Server-side apply creates or patches. */
const applied: readonly Verb[] = ['get', 'create', 'patch'];

export const providerRights = (namespace: string): Right[] => [
  {
    group: machineGroup,
    resource: 'providers',
    verbs: ['list', 'patch'],
    why: 'reads Providers; a finalizer keeps their pods while machines need them',
  },
  {
    group: machineGroup,
    resource: 'providers/status',
    verbs: ['patch'],
    why: 'writes health, capabilities, conditions',
  },
  { group: machineGroup, resource: 'virtualmachines', verbs: ['list'], why: 'a Provider with machines is not removed' },
  { group: 'apps', resource: 'deployments', verbs: applied, why: 'the pods of a Provider' },
  { group: '', resource: 'services', verbs: applied, why: 'how the pods are reached' },
  { group: '', resource: 'configmaps', verbs: applied, why: 'the settings of the pods' },
  { group: '', resource: 'serviceaccounts', verbs: applied, why: 'an account without rights for the pods' },
  { group: 'policy', resource: 'poddisruptionbudgets', verbs: applied, why: 'a drain takes one pod at a time' },
  {
    group: 'networking.k8s.io',
    resource: 'networkpolicies',
    verbs: [...applied, 'delete'],
    why: 'who may call the pods, where a Provider asks for that',
  },
  { group: '', resource: 'secrets', verbs: ['create'], why: 'certificates for the pods; no right to read any' },
  {
    group: '',
    resource: 'secrets',
    verbs: ['get', 'patch'],
    namespace,
    names: [authoritySecret],
    why: 'the authority that signs those certificates',
  },
  { group: '', resource: 'pods', verbs: ['list'], why: 'says why a pod does not start' },
  { group: '', resource: 'events', verbs: ['list'], why: 'says which Secret of a pod is missing' },
];
