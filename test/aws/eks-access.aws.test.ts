/** That the signed request in a token really answers, and that a cluster is found as EKS describes it. */
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { expect, it } from 'vitest';
import { systemClock } from '../../shared/base/runtime.ts';
import { openEksCluster } from '../../shared/kube/access/eks/eks.ts';
import { clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { requestIn } from './eks-authenticator.ts';
import { useMinistack, useMoto } from './use-stand-ins.ts';

const moto = useMoto();
// moto takes a request that is signed in its URL for one of S3.
const ministack = useMinistack();

it('finds the cluster as EKS describes it', async () => {
  const connection = moto.connection();
  const eks = new EKSClient(clientOptions(connection));
  const roleArn = 'arn:aws:iam::123456789012:role/eks';
  await eks.send(new CreateClusterCommand({ name: 'dev', roleArn, resourcesVpcConfig: { subnetIds: [] } }));
  eks.destroy();
  const found = await openEksCluster({ connection, name: 'dev', clock: systemClock }).find(AbortSignal.timeout(10_000));
  expect(found).toMatchObject({ ok: true, value: { url: expect.stringMatching(/^https:\/\/.*eks\.amazonaws\.com/) } });
});

it('makes a token that leads to an identity at STS', async () => {
  const cloud = openEksCluster({ connection: ministack.connection(), name: 'dev', clock: systemClock });
  const issued = await cloud.issue({ renew: false, signal: AbortSignal.timeout(10_000) });
  if (!issued.ok) throw new Error(issued.error.message);
  const answer = await fetch(requestIn(issued.value.token), { headers: { 'x-k8s-aws-id': 'dev' } });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('<GetCallerIdentityResult><Arn>arn:aws:');
});
