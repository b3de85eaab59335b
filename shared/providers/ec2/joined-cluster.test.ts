import { expect, test } from 'vitest';
import { failed, ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { Ec2Calls } from './calls/calls.ts';
import { joinedCluster } from './joined-cluster.ts';

const signal = new AbortController().signal;
const options = { clusterName: 'east', region: 'eu-west-1' };
const described = {
  $metadata: {},
  cluster: {
    endpoint: 'https://east.eks',
    certificateAuthority: { data: 'Q0E=' },
    version: '1.34',
    kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16', ipFamily: 'ipv4' as const },
  },
};

/** EKS as these answers, one after the other; the last one stays. */
function world(answers: Awaited<ReturnType<Ec2Calls['eks']>>[], more = {}) {
  const clock = manualClock();
  let asked = 0;
  const eks = (async () => answers[Math.min(asked++, answers.length - 1)]) as Ec2Calls['eks'];
  return { clock, asked: () => asked, cluster: joinedCluster({ ...options, ...more }, { eks }, clock) };
}

test('EKS is asked once in five minutes, and what the options say wins', async () => {
  const { cluster, asked, clock } = world([ok(described)], { kubernetesVersion: '1.33' });
  const expected = {
    name: 'east',
    endpoint: 'https://east.eks',
    certificateAuthority: 'Q0E=',
    kubernetesVersion: '1.33',
    serviceCidr: '10.100.0.0/16',
  };
  expect(await cluster(signal)).toEqual(ok(expected));
  await cluster(signal);
  expect(asked()).toBe(1);
  clock.advance(300_000);
  await cluster(signal);
  expect(asked()).toBe(2);
});

test('nobody is asked about a cluster that is described in the options', async () => {
  const told = {
    clusterEndpoint: 'https://x',
    clusterCA: 'Q0E=',
    kubernetesVersion: '1.34',
    serviceCidr: 'fd00::/108',
  };
  const { cluster, asked } = world([ok(described)], told);
  expect(await cluster(signal)).toMatchObject({ ok: true, value: { endpoint: 'https://x', ipFamily: 'ipv6' } });
  expect(asked()).toBe(0);
});

test('a cluster that is not there is a mistake, one that is being made is waited for', async () => {
  const gone = await world([failed('not-found', 'No cluster found')]).cluster(signal);
  expect(gone).toMatchObject({
    error: { kind: 'invalid', message: expect.stringContaining('no EKS cluster east in eu-west-1') },
  });
  const young = await world([ok({ $metadata: {}, cluster: { version: '1.34' } })]).cluster(signal);
  expect(young).toMatchObject({ error: { kind: 'not-ready' } });
});

test('what was known is used on while EKS does not answer', async () => {
  const { cluster, clock } = world([ok(described), failed('unavailable', 'no answer')]);
  await cluster(signal);
  clock.advance(600_000);
  expect(await cluster(signal)).toMatchObject({ ok: true });
});
