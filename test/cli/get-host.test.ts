/** `get` of what the host knows, and by which name the host knows a cluster. */
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { HostApi } from '../../cli/reach/host-api.ts';
import { clusterFor, whichCluster } from '../../cli/reach/which-cluster.ts';
import type { Json } from '../../shared/base/json.ts';
import { clusterWorld } from './cluster-world.ts';
import { type HostWorld, hostWorld } from './host-world.ts';

let world: HostWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** A host with so many dead letters. */
async function withLetters(count: number): Promise<HostWorld> {
  const made = await hostWorld();
  world = made;
  await made.queue.send(Array.from({ length: count }, (_, index) => `no event ${index}`));
  for (const message of await made.queue.receive(count + 1)) await made.queue.deadLetter(message, 'it is no JSON');
  return made;
}

describe('get deadletters', () => {
  test('has the rows of deadletters list', async () => {
    const { run } = await withLetters(3);

    const [got, listed] = [await run('get', 'deadletters'), await run('deadletters', 'list')];

    expect(got).toEqual(listed);
    expect(got.out.split('\n')).toHaveLength(5);
  });

  test('takes names, and fails for one that is not there', async () => {
    const { run, queue } = await withLetters(2);
    const [first] = (await queue.deadLetters()).items;

    const { code, out, err } = await run('get', 'dl', first?.id ?? '', 'no-such', '-o', 'name');

    expect({ code, out }).toEqual({ code: 1, out: `deadletter/${first?.id}\n` });
    expect(err).toBe(
      'Not found: "no-such"\nList the dead letters with \'poolwright deadletters\'.\nMore: poolwright errors UnknownDeadLetter\n',
    );
  });

  test('does not say that there is nothing where one name is wrong', async () => {
    const { run } = await withLetters(2);

    expect(await run('get', 'providers', 'smi')).toEqual({
      code: 1,
      out: '',
      err: 'Not found: "smi"; did you mean "sim"?\nMore: poolwright errors UnknownProvider\n',
    });
  });

  test('has no labels to select by', async () => {
    const { run } = await withLetters(0);

    expect(await run('get', 'deadletters', '-l', 'a=b')).toMatchObject({ code: 2, out: '' });
  });

  test('of none says so to people only', async () => {
    const { run } = await withLetters(0);

    expect(await run('get', 'deadletters')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('No dead'),
    });
  });
});

/** A host that serves these clusters. */
const hostOf = (...items: { name: string; uid?: string }[]): HostApi => ({
  ask: async <T>() => ({ items }) as Json as T,
  text: () => Promise.reject(new Error('nobody asks for text')),
  close: () => undefined,
});

describe('the cluster that is meant', () => {
  test('is the one that was named', async () => {
    expect(await whichCluster(hostOf({ name: 'east' }, { name: 'west' }), undefined, 'west')).toBe('west');
  });

  test('must be served; a misspelled one is told what is near', async () => {
    const found = whichCluster(hostOf({ name: 'east' }, { name: 'west' }), undefined, 'wset');

    await expect(found).rejects.toMatchObject({ code: 'UnknownCluster', message: expect.stringContaining('"west"') });
  });

  test('is the only one, where nothing else is known', async () => {
    expect(await whichCluster(hostOf({ name: 'east' }), undefined, undefined)).toBe('east');
  });

  test('has to be said, where there are several', async () => {
    const found = whichCluster(hostOf({ name: 'east' }, { name: 'west' }), undefined, undefined);

    await expect(found).rejects.toMatchObject({
      code: 'AmbiguousCluster',
      message: expect.stringContaining('--cluster east or --cluster west'),
    });
  });

  test('is none, where the host serves none', async () => {
    await expect(whichCluster(hostOf(), undefined, undefined)).rejects.toMatchObject({ code: 'UnknownCluster' });
  });

  describe('with a kubeconfig', () => {
    const start = async () => {
      const cluster = await clusterWorld();
      onTestFinished(() => cluster.close());
      return { api: cluster.api, uid: cluster.server.kubeSystemUid };
    };

    test('is the one with the same uid', async () => {
      const { api, uid } = await start();
      const host = hostOf({ name: 'east', uid: 'other' }, { name: 'west', uid }, { name: 'unknown' });

      expect(await whichCluster(host, api, undefined)).toBe('west');
    });

    test('is not the only one that the host serves, if that is another', async () => {
      const { api } = await start();

      const found = whichCluster(hostOf({ name: 'east', uid: 'other' }), api, undefined);

      await expect(found).rejects.toMatchObject({
        code: 'UnknownCluster',
        message: expect.stringContaining("does not serve the kubeconfig's cluster; it serves east"),
      });
    });

    test('may be one that the host has not reached yet, for those who only read', async () => {
      const { api } = await start();
      const host = hostOf({ name: 'east', uid: 'other' }, { name: 'new' });

      expect(await whichCluster(host, api, undefined, { mayGuess: true })).toBe('new');
    });

    test('has to be said, where a kubeconfig was named that leads to a cluster that does not answer', async () => {
      const cluster = await clusterWorld();
      onTestFinished(() => cluster.close());
      const { kubeconfig } = cluster;
      cluster.cut();

      const found = clusterFor(hostOf({ name: 'east' }), { kubeconfig });

      await expect(found).rejects.toMatchObject({ code: 'AmbiguousCluster', exitCode: 2 });
      expect(await clusterFor(hostOf({ name: 'east' }), { kubeconfig, cluster: 'east' })).toBe('east');
    });

    test('is never taken to be one that the host has not reached, where something is done to it', async () => {
      const { api } = await start();

      const found = whichCluster(hostOf({ name: 'east', uid: 'other' }, { name: 'new' }), api, undefined);

      await expect(found).rejects.toMatchObject({
        code: 'AmbiguousCluster',
        exitCode: 2,
        message: expect.stringMatching(/If it is one of those, pass --cluster new$/),
      });
    });
  });
});
