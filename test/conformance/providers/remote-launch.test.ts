/** What the provider for provider servers does beyond the contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { ok } from '../../../shared/base/result.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import { type RemoteHarness, type ServerKind, startRemoteHarness } from './remote-harness.ts';
import { anOwner, aRequest, created, failure, ids, patience, untilCreated, untilDeleted, value } from './requests.ts';

const open: RemoteHarness[] = [];
const start = async (kind: ServerKind = 'ours', more: Parameters<typeof startRemoteHarness>[1] = {}) => {
  const harness = await startRemoteHarness(kind, more);
  open.push(harness);
  return harness;
};
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.close();
});

const never = new AbortController().signal;

describe('a launch', () => {
  test('takes seven calls, and a delete three', async () => {
    const harness = await start();
    const instance = await created(harness);
    expect(harness.calls).toEqual([
      'GetCapabilities',
      'ListVMs',
      'Create',
      'TaskStatus',
      'Describe',
      'Power',
      'Describe',
    ]);
    harness.calls.length = 0;
    await untilDeleted(harness, instance);
    expect(harness.calls).toEqual(['ListVMs', 'Delete', 'Describe']);
  });

  test('is the same for its first handle, whichever process asks and how often', async () => {
    const harness = await start();
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it should still be going on');
    await harness.advance(3);
    value(await harness.provider.pollCreate(begun.handle, patience()));
    value(await harness.anotherProvider().pollCreate(begun.handle, patience()));
    await harness.advance(3);
    const done = value(await harness.anotherProvider().pollCreate(begun.handle, patience()));
    expect(done).toMatchObject({ done: true, instance: { state: 'running' } });
    expect(harness.calls.filter((call) => call === 'Power')).toHaveLength(1);
  });

  test('does not start a machine that runs already', async () => {
    const startsItself = (driver: MachineDriver): MachineDriver => ({
      ...driver,
      create: async (name, spec, signal) => {
        const made = await driver.create(name, spec, signal);
        if (made.ok) await driver.power(made.value.id, 'on', {}, signal);
        return made.ok ? ok({ id: made.value.id }) : made;
      },
    });
    const harness = await start('others', { driver: startsItself });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    await untilCreated(harness, begun);
    expect(harness.calls.filter((call) => call === 'Power').length).toBeLessThanOrEqual(1);
    expect(await harness.living()).toHaveLength(1);
  });

  test('tells a kubelet its providerID before the machine exists', async () => {
    const harness = await start();
    let sent = '';
    const { driver } = harness;
    const create = driver.create.bind(driver);
    driver.create = async (name, spec, signal) => {
      sent = spec.userData ?? '';
      return create(name, spec, signal);
    };
    const instance = await created(harness);
    expect(sent).toContain(instance.providerID);
  });

  test.each([
    ['insufficient resources: no host has 8 GiB', 'insufficient-capacity'],
    ['template ubuntu not found', 'invalid'],
    ['the disk broke', 'not-found'],
  ] as const)('that fails in its task with "%s" is %s', async (error, kind) => {
    const fails = (driver: MachineDriver): MachineDriver => ({
      ...driver,
      task: async () => ok({ done: true, error }),
    });
    const harness = await start('ours', { driver: fails });
    const begun = value(await harness.provider.beginCreate(aRequest(harness), patience()));
    if (begun.done) expect.fail('it should still be going on');
    failure(await harness.provider.pollCreate(begun.handle, patience()), kind);
  });
});

test('a machine that somebody stopped is about to end, and says why', async () => {
  const harness = await start();
  const instance = await created(harness);
  const [machine] = value(await harness.driver.list(never));
  value(await harness.driver.power(machine!.id, 'off', {}, never));
  await harness.advance(3600);
  expect(value(await harness.provider.get(anOwner(), instance.providerID, patience()))).toMatchObject({
    state: 'running',
    ending: { kind: 'instance_stopped', reason: expect.stringContaining('is Off') },
  });
});

test('what many ask at one moment is one list, and each list began after all whom it answers had asked', async () => {
  let listing = 0;
  const counted = (driver: MachineDriver): MachineDriver => ({
    ...driver,
    list: async (signal) => {
      listing += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return driver.list(signal);
    },
  });
  const harness = await start('ours', { driver: counted });
  const find = (number: number) =>
    harness.provider.find({ ...anOwner({ claimUid: `c-${number}` }), claimName: 'web' }, patience());
  const first = find(0);
  await Promise.resolve();
  const others = Array.from({ length: 50 }, (_, index) => find(index + 1));
  for (const answer of await Promise.all([first, ...others])) expect(answer).toEqual({ ok: true, value: [] });
  expect(listing).toBe(2);
});

describe('ownership', () => {
  test('of a long claim survives without tags and without state', async () => {
    const harness = await start('others');
    const claimName = `${'a-very-long-name-of-a-pool'.repeat(4)}-x7k2p`;
    const request = { ...aRequest(harness), claimName };
    await untilCreated(harness, value(await harness.provider.beginCreate(request, patience())));
    const { items } = value(await harness.provider.list(anOwner(), undefined, patience()));
    expect(items).toMatchObject([{ owner: request.owner, claimName }]);
    const [machine] = value(await harness.driver.list(never));
    expect(machine?.tags).toEqual([]);
  });

  test('is not that of a clone, which has the tags of its source', async () => {
    const harness = await start();
    const instance = await created(harness);
    const [machine] = value(await harness.driver.list(never));
    value(await harness.driver.clone({ source: machine!.id, name: 'copy-of-it', linked: false }, never));
    expect(ids(value(await harness.provider.list(anOwner(), undefined, patience())).items)).toEqual([instance.id]);
    failure(await harness.provider.beginDelete({ id: 'lab/copy-of-it', owner: anOwner() }, patience()), 'invalid');
  });
});

describe('two machines of one name', () => {
  const doubled = (driver: MachineDriver): MachineDriver => ({
    ...driver,
    list: async (signal) => {
      const all = value(await driver.list(signal));
      return ok(all.map((one) => ({ ...one, name: one.name.replace(/--twin$/, '') })));
    },
  });

  test('are one instance; the one that does not run is tidied away, and a delete ends both', async () => {
    const harness = await start('ours', { driver: doubled });
    const instance = await created(harness);
    const [machine] = value(await harness.driver.list(never));
    const twin = { class: { cpu: 2, memoryMiB: 4096 }, image: {}, networks: [], disks: [], tags: machine!.tags };
    value(await harness.driver.create(`${machine!.name}--twin`, twin, never));
    expect(value(await harness.provider.list(anOwner(), undefined, patience())).items).toHaveLength(1);
    value(await harness.provider.tidy(anOwner(), patience()));
    await harness.advance(2);
    expect(value(await harness.driver.list(never)).map(({ id }) => id)).toEqual([machine!.id]);

    value(await harness.driver.create(`${machine!.name}--twin`, twin, never));
    await untilDeleted(harness, instance);
    expect(await harness.living()).toEqual([]);
  });
});

describe('a node class', () => {
  const resolved = async (harness: RemoteHarness, spec: Json = harness.nodeClass.spec) =>
    value(await harness.provider.resolveNodeClass({ name: 'default', spec }, patience()));

  test('is ready where its server can do what it asks for', async () => {
    const harness = await start();
    expect(await resolved(harness)).toMatchObject({
      ready: true,
      resolved: { image: 'ubuntu', instanceTypes: 2, zones: ['zone-a', 'zone-b'], providers: ['lab'] },
      images: ['ubuntu'],
      conditions: [
        { type: 'ProvidersReady', status: 'True' },
        { type: 'CapabilitiesMatch', status: 'True' },
      ],
    });
  });

  test.each([
    [{ provider: 'lub' }, 'ProviderServerNotFound', 'did you mean "lab"'],
    [{ disks: [{ name: 'root', sizeGiB: 1, type: 'floppy' }] }, 'ProviderCapabilityMissing', 'thin, thick'],
    [{ image: {} }, 'InvalidSpec', 'has no source'],
    [{ networks: [{ name: 'a' }, { name: 'a' }] }, 'InvalidSpec', 'spec.networks[1].name'],
    [{ sizes: [{ name: 'Not OK', cpu: 1, memory: '1Gi' }] }, 'InvalidSpec', 'spec.sizes.0.name'],
    [{ userData: '{{ poolwright.node.nam }}' }, 'InvalidSpec', 'poolwright.node.name'],
  ])('with %j is not ready: %s', async (change, reason, says) => {
    const harness = await start('ours', { spec: change });
    const answer = await resolved(harness);
    expect(answer).toMatchObject({ ready: false, reason });
    expect(answer.message).toContain(says);
    failure(
      await harness.provider.beginCreate(aRequest(harness), patience()),
      reason === 'InvalidSpec' ? 'invalid' : 'not-ready',
    );
    expect(await harness.living()).toEqual([]);
  });

  test('that needs a repeated create to be harmless is not made where a server does not say that it is', async () => {
    const harness = await start('others', { options: { createsByName: true } });
    expect(await resolved(harness)).toMatchObject({ ready: false, reason: 'ProviderCapabilityMissing' });
    failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'not-ready');
  });

  test('goes on in its other zones while a server is away', async () => {
    const harness = await start('ours', {
      spec: { zones: [{ name: 'zone-a' }, { name: 'zone-b', provider: 'away' }] },
      options: {
        servers: {
          lab: { endpoint: '127.0.0.1:1', plaintext: true },
          away: { endpoint: '127.0.0.2:1', plaintext: true },
        },
      },
    });
    const types = value(await harness.provider.instanceTypes(harness.nodeClass, patience()));
    expect(types[0]?.offerings).toMatchObject([
      { zone: 'zone-a', available: true },
      { zone: 'zone-b', available: false, unavailableReason: expect.stringContaining('away') },
    ]);
    expect(await resolved(harness)).toMatchObject({ ready: true, resolved: { zones: ['zone-a'] } });
    const there = { ...aRequest(harness), offering: { ...harness.offering, zone: 'zone-b' } };
    // By now its circuit is open.
    const gone = failure(await harness.provider.beginCreate(there, patience()), 'insufficient-capacity');
    expect(gone).toMatchObject({ scope: { zone: 'zone-b' } });
  });

  test('whose server has no certificates yet says so, and is ready when they are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-tls-'));
    const tls = { directory: join(folder, 'tls') };
    const harness = await start('ours', {
      options: { servers: { lab: { endpoint: '127.0.0.1:1', tls } } },
      realChannel: true,
    });
    expect(await resolved(harness)).toMatchObject({ ready: false, reason: 'ProviderTlsRefused' });
    rmSync(folder, { recursive: true });
  });

  test('asks for capabilities once', async () => {
    const harness = await start();
    await resolved(harness);
    await resolved(harness);
    value(await harness.provider.instanceTypes(harness.nodeClass, patience()));
    expect(harness.calls).toEqual(['GetCapabilities']);
  });
});
