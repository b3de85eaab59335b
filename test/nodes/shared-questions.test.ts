/** One question serves many claims and the people who look: whoever goes away early must not end it for the others. */
import { describe, expect, it } from 'vitest';
import { catalogFor } from '../../shared/nodes/offerings/catalog.ts';
import { readNodeClass } from '../../shared/nodes/offerings/node-class.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { useWorld } from './use-world.ts';

const open = useWorld();

/** A cloud that answers when it is let. */
function held() {
  const release = Promise.withResolvers<void>();
  let asked = 0;
  const decorate = (provider: Provider): Provider => {
    const instanceTypes = provider.instanceTypes.bind(provider);
    provider.instanceTypes = async (nodeClass, signal) => {
      asked++;
      await release.promise;
      return instanceTypes(nodeClass, signal);
    };
    return provider;
  };
  return { decorate, release: release.resolve, asked: () => asked };
}

const nodeClass = { name: 'default', spec: {}, uid: 'x' };

describe('the types of a provider', () => {
  it('come to a launch though somebody who asked first has gone', async () => {
    const cloud = held();
    const { services, provider } = await open({ decorate: cloud.decorate });
    const person = new AbortController();
    const looked = catalogFor(services, provider, nodeClass, person.signal);
    const launched = catalogFor(services, provider, nodeClass, new AbortController().signal);
    person.abort();
    expect(await looked).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    cloud.release();
    expect(await launched).toMatchObject({ ok: true });
    expect(cloud.asked()).toBe(1);
  });

  it('are not asked for by somebody who has gone already', async () => {
    const { services, provider } = await open();
    expect(await catalogFor(services, provider, nodeClass, AbortSignal.abort())).toMatchObject({ ok: false });
    expect(await catalogFor(services, provider, nodeClass, new AbortController().signal)).toMatchObject({ ok: true });
  });
});

describe('a node class', () => {
  it('comes to a launch though somebody who asked first has gone', async () => {
    const { services, provider, createNodeClass } = await open();
    await createNodeClass('default');
    const [cluster] = services.clusters;
    const [kind] = provider.nodeClasses;
    if (!cluster || !kind) throw new Error('there is no cluster');
    const ref = { group: kind.group, kind: kind.kind, name: 'default' };
    const ask = (signal: AbortSignal) => readNodeClass(services, cluster, { ...kind, namespaced: false }, ref, signal);
    const person = new AbortController();
    const looked = ask(person.signal);
    const launched = ask(new AbortController().signal);
    person.abort();
    expect(await looked).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    expect(await launched).toMatchObject({ ok: true, value: { name: 'default' } });
  });
});
