import { describe, expect, it } from 'vitest';
import { JobPace } from '../../calls/job-pace.ts';
import { buildHash, changedByHand, readMadeOf } from './made-of.ts';
import { parseTime, readVm, withTags } from './vm.ts';

const seen = {
  id: 'v1',
  name: 'web-1',
  displayname: 'web (poolwright u/1/main/c)',
  state: 'Running',
  created: '2026-11-18T20:09:45+0000',
  zoneid: 'z1',
  zonename: 'Zürich',
  serviceofferingid: 'o1',
  serviceofferingname: 'Large',
  templateid: 't1',
  cpunumber: 4,
  memory: 8192,
  nic: [{ networkid: 'n1' }, { networkid: 'n2' }],
  affinitygroup: [{ id: 'g1', name: 'group' }],
  tags: [{ key: 'team', value: 'web' }, { key: 'empty' }],
};

describe('a VM as CloudStack shows it', () => {
  it('is read with its owner, whether it has tags yet or not', () => {
    const vm = readVm(seen)!;
    expect(vm).toMatchObject({
      id: 'v1',
      tagged: false,
      owned: { owner: { deployment: 'main', cluster: 'c', claimUid: 'u', attempt: 1 }, claimName: 'web' },
      createdAt: Date.UTC(2026, 10, 18, 20, 9, 45),
      networks: [
        { id: 'n1', name: '' },
        { id: 'n2', name: '' },
      ],
      tags: { team: 'web', empty: '' },
    });
    const tags = {
      'poolwright.dev/deployment': 'main',
      'poolwright.dev/cluster': 'c',
      'poolwright.dev/claim-uid': 'u',
      'poolwright.dev/attempt': '2',
      'poolwright.dev/claim': 'web',
    };
    // Tags win: a display name is easily edited.
    expect(withTags(vm, tags)).toMatchObject({ tagged: true, owned: { owner: { attempt: 2 } }, tags: { team: 'web' } });
  });

  it.each([null, 'x', {}, { id: 'v1' }, { state: 'Running' }, [], { id: 7, state: 'Running' }])('is not %j', (one) => {
    expect(readVm(one)).toBeUndefined();
  });

  it('gives times with and without a colon in the offset', () => {
    expect(parseTime('2026-11-18T20:09:45+0530')).toBe(Date.UTC(2026, 10, 18, 14, 39, 45));
    expect(parseTime('2026-11-18T20:09:45Z')).toBe(Date.UTC(2026, 10, 18, 20, 9, 45));
    expect(parseTime('soon')).toBeUndefined();
  });
});

describe('what a person changed by hand', () => {
  const build = { offeringId: 'o1', templateId: 't1', networkIds: ['n2', 'n1'], size: { cpus: 4, memoryMiB: 8192 } };

  it.each([
    [{}, undefined],
    [{ serviceofferingid: 'o2', serviceofferingname: 'XL' }, 'service offering (XL)'],
    [{ templateid: 't2' }, 'template'],
    [{ nic: [{ networkid: 'n1' }] }, 'networks'],
    [{ cpunumber: 8 }, 'size (8 CPUs, 8192 MiB)'],
    [{ templateid: 't2', memory: 1 }, 'template, size (4 CPUs, 1 MiB)'],
  ])('%j is %j', (change, words) => {
    expect(changedByHand(readVm({ ...seen, ...change })!, buildHash(build))).toBe(words);
  });

  it('is unknown where nothing says what the VM was made of', () => {
    for (const hash of [undefined, '', 'x']) expect(changedByHand(readVm(seen)!, hash)).toBeUndefined();
  });

  it('names what other looks have found', () => {
    const vm = readVm({ ...seen, templateid: 't2' })!;
    expect(changedByHand(vm, buildHash(build), ['user data'])).toBe('template, user data');
    expect(changedByHand(readVm(seen)!, undefined, ['user data'])).toBe('user data');
  });

  it('is read from texts with and without the fields that came later', () => {
    expect(readMadeOf('o t n')).toEqual({ offeringId: 'o', templateId: 't', networks: 'n' });
    expect(readMadeOf('o t n 2x4096')).toMatchObject({ size: '2x4096' });
    const text = buildHash({ ...build, tags: { team: 'web' }, userData: 'YQ==' });
    expect(readMadeOf(text)).toMatchObject({ size: '4x8192', tags: expect.any(String), userData: expect.any(String) });
  });

  it('fits into a tag', () => {
    const uuid = '6f1c1a2e-0000-4000-8000-000000000001';
    const networkIds = Array.from({ length: 30 }, () => uuid);
    expect(
      buildHash({ ...build, offeringId: uuid, templateId: uuid, networkIds, tags: {}, userData: '' }).length,
    ).toBeLessThan(255);
  });
});

describe('the pace of looks at a job', () => {
  const options = { firstSeconds: 5, leastSeconds: 1, mostSeconds: 15 };

  it('comes to the time that jobs take', () => {
    const pace = new JobPace(options);
    expect(pace.first()).toBe(5);
    for (let job = 0; job < 20; job++) pace.ended(40, 4);
    expect(pace.first()).toBeGreaterThan(35);
    for (let job = 0; job < 60; job++) pace.ended(pace.first(), 1);
    expect(pace.first()).toBeLessThan(5);
    expect(pace.first()).toBeGreaterThanOrEqual(1);
  });

  it('slows down for a job that takes long, within bounds', () => {
    const pace = new JobPace(options);
    const pauses = [0, 1, 2, 5, 50, 5000].map((looks) => pace.next(looks));
    expect(pauses[0]).toBe(1);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.at(-1)).toBe(15);
  });
});
