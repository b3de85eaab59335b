/** A Secret as a provider asks for it, from the cluster's API. */
import type { V1Secret } from '@kubernetes/client-node';
import { failed, ok } from '../base/result.ts';
import { type ClusterApi, secrets } from '../kube/contract.ts';
import type { Stored } from '../kube/stored.ts';
import type { SecretLookup } from './context.ts';

export const secretLookup = (api: ClusterApi): SecretLookup => ({
  async read({ namespace, name }, signal) {
    const answer = await api.get<Stored<V1Secret>>(secrets, { namespace, name }, signal);
    if (!answer.ok) {
      const { kind, message } = answer.error;
      const text = kind === 'not-found' ? 'there is no' : 'cannot read the';
      return failed(kind, `${text} Secret ${namespace}/${name} in cluster ${api.name}`, { cause: message });
    }
    const { data = {} } = answer.value;
    return ok(
      Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
      ),
    );
  },
});
