/** The webhook about node classes of CloudStack: what it refuses that a definition lets through, and the defaults that it writes. */
import { expect, it } from 'vitest';
import { type AdmissionRequest, defaultsFor, judge } from '../../functions/http/routes/webhook/admission.ts';
import type { Json } from '../../shared/base/json.ts';
import { admissionOf } from '../../shared/providers/admission.ts';
import { cloudStackNodeClass } from '../../shared/providers/cloudstack/node-class/kind.ts';
import { hashOf } from '../../shared/providers/cloudstack/node-class/status.ts';
import { classOf } from './world.ts';

const { group, plural, kind } = cloudStackNodeClass;
const rules = await admissionOf(group, plural);

const request = (spec: Json, more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  resource: { group, resource: plural },
  kind: { group, kind },
  object: { metadata: { name: 'default', uid: 'u', generation: 1 }, spec },
  ...more,
});
const judged = (spec: Parameters<typeof classOf>[0], more?: Partial<AdmissionRequest>) =>
  judge({ name: 'one', nodeClasses: [cloudStackNodeClass], nodeClassRules: rules }, request(classOf(spec).spec, more));

it.each([
  [{ zones: ['zone-01'] }, /^spec\.zones: cannot be combined with spec\.zone/],
  [{ tags: { 'karpenter.sh/nodepool': 'x' } }, /^spec\.tags\["karpenter\.sh\/nodepool"\]: remove it/],
  [{ tags: { 'poolwright.dev/claim-uid': 'x' } }, /identify the owner/],
  [{ tags: { 'Poolwright.dev/claim-uid': 'x' } }, /identify the owner/],
  [{ tags: { team: '' } }, /^spec\.tags\["team"\]: is empty, which CloudStack refuses/],
  [{ tags: { team: 'a', Team: 'b' } }, /^spec\.tags\["Team"\]: is there twice for CloudStack/],
  [{ networkSelectorTerms: [{ tags: {} }] }, /^spec\.networkSelectorTerms\[0\]\.tags: is empty/],
  [{ networkSelectorTerms: [{}] }, /selects nothing; set one of tags, id, name/],
  [{ boot: { type: 'BIOS', mode: 'Secure' } }, /Secure needs boot\.type UEFI/],
  [
    {
      details: [
        { cpuNumber: 1, memory: 512 },
        { cpuNumber: 1, memory: 512 },
      ],
    },
    /^spec\.details\[1\]: is there twice/,
  ],
  [{ staticAddresses: [{ network: 'n', addresses: ['10.0.0.9-10.0.0.1'] }] }, /must be an IPv4 address/],
  [{ staticAddresses: [{ network: 'n', addresses: ['::1'] }] }, /must be an IPv4 address/],
  [{ rootDiskSize: 0 }, /^spec\.rootDiskSize: /],
  [{ userData: Array.from({ length: 300_000 }, (_, at) => at * 7919).join() }, /^spec\.userData: .*too long/],
  [{ rootDiskSizes: 10 }, /did you mean "rootDiskSize"/],
])('refuses %j', (spec, text) => {
  expect(judged(spec)).toMatchObject({ allowed: false, message: expect.stringMatching(text) });
});

it('lets good classes pass, and what was wrong before, and tells of them', () => {
  expect(judged({})).toMatchObject({ allowed: true, news: { data: { kind: 'CloudStackNodeClass' } } });
  const wrong = { tags: { 'karpenter.sh/nodepool': 'x' } };
  const oldObject = { metadata: { name: 'default', uid: 'u', generation: 0 }, spec: classOf(wrong).spec };
  expect(judged({ ...wrong, rootDiskSize: 20 }, { operation: 'UPDATE', oldObject })).toMatchObject({ allowed: true });
  expect(judged(wrong, { operation: 'DELETE' })).toMatchObject({ allowed: true });
});

it('writes defaults where a class says nothing, once, and they are no change to its machines', () => {
  const { spec } = classOf({ kubelet: { maxPods: 30 }, lease: { days: 7 } });
  const full = defaultsFor(rules, request(spec));
  expect(full).toMatchObject({
    zone: 'zone-01',
    kubelet: { maxPods: 30, kubeReserved: { cpu: '100m', memory: '256Mi' } },
    userDataSettings: { template: true, compress: 'Auto' },
    lease: { days: 7, expiryAction: 'DESTROY' },
  });
  expect(defaultsFor(rules, request(full ?? {}))).toBeUndefined();
  const hash = (one: Json) =>
    hashOf({ spec: one, networks: [], volumes: [], securityGroupIds: [], affinityGroupIds: [] } as never);
  expect(hash(full ?? {})).toBe(hash(spec));
});

it('writes nothing into what is wrong, deleted or of another kind', () => {
  const { spec } = classOf();
  expect(defaultsFor(rules, request(classOf({ zones: ['a'] }).spec))).toBeUndefined();
  expect(defaultsFor(rules, request(spec, { operation: 'DELETE' }))).toBeUndefined();
  expect(defaultsFor(undefined, request(spec))).toBeUndefined();
});
