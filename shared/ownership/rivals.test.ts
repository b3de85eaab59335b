import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/contract.ts';
import { findRival, type RivalDeployment, rivalOn, type ServedKind } from './rivals.ts';

const now = Date.UTC(2026, 0, 1);
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1000).toISOString();
const sim: ServedKind = { group: 'poolwright.dev', kind: 'SimNodeClass' };
const aks: ServedKind = { group: 'karpenter.azure.com', kind: 'AKSNodeClass' };
const kaito: ServedKind = { group: 'kaito.sh', kind: 'KaitoNodeClass' };
const ec2: ServedKind = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' };

const metadata = { name: 'karpenter', namespace: 'kube-system', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const aDeployment = (image: string, replicas = 2): RivalDeployment => ({
  metadata,
  spec: { replicas, template: { spec: { containers: [{ image }] } } },
});
const images = {
  aws: 'public.ecr.aws/karpenter/controller:1.14.1@sha256:abc',
  azure: 'mcr.microsoft.com/aks/karpenter/controller:1.6.2-aks',
  gpu: 'mcr.microsoft.com/aks/kaito/gpu-provisioner:0.4.3',
  unknown: 'registry.example/platform/autoscaler:1',
};

describe('findRival', () => {
  it.each([
    ['Karpenter for Azure', images.azure, aks],
    ['gpu-provisioner', images.gpu, kaito],
    ['Karpenter for AWS', images.aws, ec2],
  ])('names %s when it serves the same node classes', (name, image, kind) => {
    const rival = findRival({ serves: [sim, kind], deployments: [aDeployment(image)], now });
    expect(rival).toContain(name);
    expect(rival).toContain('kube-system/karpenter');
  });

  it.each([
    ['Karpenter for AWS beside our simulated cloud', images.aws, sim],
    ['Karpenter for AWS beside our AKS', images.aws, aks],
    ['gpu-provisioner beside our AKS', images.gpu, aks],
    ['a Karpenter that nobody knows', images.unknown, aks],
  ])('leaves %s alone', (_what, image, kind) => {
    expect(findRival({ serves: [kind], deployments: [aDeployment(image)], now })).toBeUndefined();
  });

  it('does not mind one that is scaled to zero', () => {
    expect(findRival({ serves: [aks], deployments: [aDeployment(images.azure, 0)], now })).toBeUndefined();
  });

  const leader = (renewedSecondsAgo: number) => ({
    metadata: { ...metadata, name: 'karpenter-leader-election' },
    spec: { holderIdentity: 'karpenter-7c9', renewTime: at(renewedSecondsAgo) },
  });

  it('sees a leader outside of the cluster, where we serve what a Karpenter serves', () => {
    expect(findRival({ serves: [aks], deployments: [], leader: leader(10), now })).toContain('karpenter-7c9');
  });

  it.each([
    ['it has not renewed for long', { serves: [aks], deployments: [], leader: leader(600) }],
    ['no Karpenter serves our node classes', { serves: [sim], deployments: [], leader: leader(10) }],
    ['a Deployment explains it', { serves: [aks], deployments: [aDeployment(images.aws)], leader: leader(10) }],
    ['nobody may look for Deployments', { serves: [aks], leader: leader(10) }],
  ])('does not take a leader for a rival when %s', (_why, signs) => {
    expect(findRival({ ...signs, now })).toBeUndefined();
  });

  it('believes what was seen on a claim of ours, whoever wrote it', () => {
    expect(findRival({ serves: [sim], written: { who: 'karpenter', claim: 'web-1' }, now })).toContain('web-1');
  });
});

describe('rivalOn', () => {
  const aClaim = (...managedFields: object[]): KubeObject => ({ metadata: { ...metadata, ...{ managedFields } } });

  it('sees another provisioner that writes the status of a claim', () => {
    const claim = aClaim({ manager: 'karpenter', subresource: 'status', time: at(20) });
    expect(rivalOn(claim, now)).toBe('karpenter');
  });

  it.each([
    ['ourselves', { manager: 'poolwright', subresource: 'status', time: at(1) }],
    ['a person', { manager: 'kubectl-edit', subresource: 'status', time: at(1) }],
    ['a Karpenter that only made the claim', { manager: 'karpenter', time: at(1) }],
    ['one that was stopped a while ago', { manager: 'karpenter', subresource: 'status', time: at(900) }],
    ['an entry without a time', { manager: 'karpenter', subresource: 'status' }],
  ])('does not mean %s', (_who, entry) => {
    expect(rivalOn(aClaim(entry), now)).toBeUndefined();
  });

  it('does not mind a claim without the record', () => {
    expect(rivalOn({ metadata }, now)).toBeUndefined();
  });
});
