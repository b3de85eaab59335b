/** How a cluster of EKS is reached, by the same options as its provider. */

import { defined } from '../../base/defined.ts';
import { ok } from '../../base/result.ts';
import { openEksCluster } from '../../kube/access/eks/eks.ts';
import { atEndpoint } from '../../platforms/aws/endpoint.ts';
import type { OpenCluster } from '../manifest.ts';
import { connectionOf } from './connection.ts';
import { readEc2Options } from './options.ts';

export const openCluster: OpenCluster = (given, { clock, env }) => {
  const options = readEc2Options(given, env);
  if (!options.ok) return options;
  const { clusterName, clusterEndpoint, clusterCA } = options.value;
  const connection = connectionOf(options.value, { clock, env, cluster: clusterName });
  const { endpoint: stsEndpoint } = atEndpoint(connection, 'STS', env);
  return ok(
    openEksCluster({
      connection: atEndpoint(connection, 'EKS', env),
      name: clusterName,
      clock,
      ...defined({ stsEndpoint, endpoint: clusterEndpoint, certificateAuthority: clusterCA }),
    }),
  );
};
