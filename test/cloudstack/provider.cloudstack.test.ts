/** What the provider asks of CloudStack is what CloudStack has: every request of a claim's life, in all that a node class can say. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../sim/cloudstack/api.ts';
import {
  type Account,
  type CloudStackHarness,
  startCloudStackHarness,
} from '../conformance/providers/cloudstack-harness.ts';
import { aKey, aRequest, created, failure, patience, untilDeleted, value } from '../conformance/providers/requests.ts';
import { readApiDescription } from './api-description.ts';
import { partPath } from './use-parts.ts';

const goModule = partPath('goModule');

const everything = {
  serviceOfferingSelectorTerms: [{ name: 'Medium Instance' }, { name: 'Custom Instance' }],
  details: [{ cpuNumber: 3, memory: 3072 }],
  rootDiskSize: 20,
  diskOffering: 'Small',
  dataVolumes: [{ diskOffering: 'Custom', size: 7 }],
  sshKeyPair: 'my-keypair',
  affinity: { perPool: 'non-strict host anti-affinity' },
  boot: { type: 'UEFI', mode: 'Secure' },
  lease: { days: 3, expiryAction: 'DESTROY' },
  staticAddresses: [{ network: 'default-network', addresses: ['10.10.3.7-10.10.3.20'] }],
  tags: { team: 'plätform/ü~' },
};

/** What a failed deploy leads to: the job is asked why. */
async function expectNoCapacity(harness: CloudStackHarness): Promise<void> {
  await harness.inject({ do: 'sold-out' });
  let progress = await harness.provider.beginCreate(aRequest(harness, { claimUid: 'c1a1-0003' }), patience());
  for (let polls = 0; polls < 20 && progress.ok && !progress.value.done; polls++) {
    await harness.advance(progress.value.retryAfterSeconds);
    progress = await harness.provider.pollCreate(progress.value.handle, patience());
  }
  failure(progress, 'insufficient-capacity');
}

describe.skipIf(goModule === undefined)('the requests of the provider', () => {
  it.each<[Account, string, object]>([
    ['user', 'a plain class', {}],
    ['admin', 'a plain class', {}],
    ['user', 'a class with everything in it', everything],
    ['admin', 'a class with everything in it', everything],
  ])('of an account of kind %s with %s are in the description of the API', async (account, _what, spec) => {
    const exchanges: Exchange[] = [];
    const harness = await startCloudStackHarness({
      account,
      spec: { ...spec },
      cloudstack: { onExchange: (exchange) => exchanges.push(exchange) },
    });
    onTestFinished(() => harness.close());
    const { provider, nodeClass } = harness;
    const types = value(await provider.instanceTypes(nodeClass, patience()));
    expect(types.length).toBeGreaterThan(0);
    await provider.check?.({ deployment: 'main', cluster: 'demo' }, patience());
    const first = await created(harness);
    const second = await created(harness, { claimUid: 'c1a1-0002' });
    await harness.advance(5);
    expect(value(await provider.find(aKey(), patience())).map(({ id }) => id)).toEqual([first.id]);
    for (const instance of [first, second]) await untilDeleted(harness, instance);
    expect(harness.cloudstack.leftovers()).toEqual([]);
    await expectNoCapacity(harness);

    const api = readApiDescription(goModule ?? '');
    const problems = new Set(exchanges.flatMap((exchange) => api.problemsOf(exchange)));
    expect([...problems]).toEqual([]);
    expect(harness.cloudstack.unknownParameters()).toEqual([]);
    expect(new Set(exchanges.map(({ method }) => method))).toEqual(new Set(['POST']));
    const commands = new Set(exchanges.map(({ command }) => command));
    for (const command of ['deployVirtualMachine', 'createTags', 'destroyVirtualMachine', 'queryAsyncJobResult']) {
      expect(commands).toContain(command);
    }
  });
});
