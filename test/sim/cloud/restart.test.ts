import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { SimCloudOptions } from '../../../sim/cloud/start.ts';
import { type AnswerBody, type CloudUnderTest, owned, startCloud } from './client.ts';
import { FakeCluster } from './fake-cluster.ts';

describe('a simulated cloud that is started again on its file', () => {
  let directory: string;
  let clock: ReturnType<typeof manualClock>;
  let under: CloudUnderTest;
  const start = async (options: SimCloudOptions = {}) => {
    const file = join(directory, 'cloud.db');
    under = await startCloud({ file, bootSeconds: 30, deleteSeconds: 10, ...options, clock });
    return under;
  };
  const restart = async (afterSeconds: number, options: SimCloudOptions = {}) => {
    await under.cloud.close();
    clock.advance(afterSeconds * 1000);
    return start(options);
  };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sim-cloud-'));
    clock = manualClock();
  });
  afterEach(async () => {
    await under.cloud.close();
    rmSync(directory, { recursive: true });
  });

  test('goes on booting and deleting as if it had never been away', async () => {
    await start();
    const { id, createdAt } = (await under.create()).body;
    await restart(60);
    expect((await under.ask('GET', `/instances/${id}`)).body.state).toBe('running');
    expect(under.cloud.ledger()[0]?.runningAt).toBe(createdAt + 30_000);

    await under.ask('DELETE', `/instances/${id}`);
    await restart(5);
    expect((await under.ask('GET', `/instances/${id}`)).body).toMatchObject({ state: 'deleting', remainingSeconds: 5 });
    await under.advance(5);

    expect(under.cloud.ledger()).toMatchObject([{ id, goneAt: createdAt + 70_000, whyGone: 'deleted' }]);
  });

  test('still knows tokens, and never gives an id twice', async () => {
    await start();
    const first = (await under.create()).body.id;
    await restart(1);

    expect((await under.create()).body.id).toBe(first);
    expect((await under.create({ token: 't2' })).body.id).not.toBe(first);
  });

  test('lets a late effect land once, also when it was down at the time', async () => {
    await start({ faults: [{ on: 'create', count: 1, do: { kind: 'reset', effect: 'late', lateSeconds: 2 } }] });
    const before = clock.now();
    await expect(under.create()).rejects.toThrow();
    await restart(60);
    expect(under.cloud.ledger()).toMatchObject([{ createdAt: before + 2000, runningAt: before + 32_000 }]);

    await restart(1);

    expect(under.cloud.ledger()).toHaveLength(1);
  });

  test('keeps its fault rules and what they have done', async () => {
    await start({ faults: [{ on: 'create', count: 2, do: { kind: 'sold-out' } }] });
    expect((await under.create()).status).toBe(422);
    await restart(1);

    expect((await under.create()).status).toBe(422);
    expect((await under.create()).status).toBe(201);
  });

  test('gives the notice of an interruption once', async () => {
    await start({ faults: [{ on: 'create', do: { kind: 'interrupt', afterSeconds: 10, noticeSeconds: 30 } }] });
    await under.create();
    await under.advance(10);
    await restart(5);
    expect((await under.ask('GET', '/interruptions')).body.items).toHaveLength(1);

    await under.advance(25);

    expect(under.cloud.ledger()).toMatchObject([{ whyGone: 'interrupted' }]);
  });

  test('still shows in a lagging list what went away before the restart', async () => {
    await start({ listLagSeconds: 20, deleteSeconds: 0 });
    const { id } = (await under.create()).body;
    await under.advance(30);
    await under.ask('DELETE', `/instances/${id}`);
    await restart(10, { listLagSeconds: 20 });

    expect((await under.ask('GET', '/instances')).body.items).toHaveLength(1);
    await under.advance(10);
    expect((await under.ask('GET', '/instances')).body.items).toHaveLength(0);
  });

  test('has its kubelets go on where they were, and says goodbye for the dead', async () => {
    const kubelet = new FakeCluster();
    const options = { kubelet, readySeconds: 10, nodeLostSeconds: 40 };
    await start(options);
    const { id } = (await under.create()).body;
    await under.advance(30);
    expect(kubelet.ready).toBe('False');

    await restart(20, options);
    await under.cloud.settle();
    expect(kubelet.ready).toBe('True');

    await under.ask('POST', `/instances/${id}/vanish`);
    await restart(60, options);
    await under.cloud.settle();
    expect(kubelet.ready).toBe('Unknown');
    expect(kubelet.calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
  });

  test('says goodbye also for a machine whose Node it had no time to write down', async () => {
    const kubelet = new FakeCluster();
    await start({ registerSeconds: null });
    const { id } = (await under.create()).body;
    await under.advance(30);
    await kubelet.createNode({ metadata: { name: id }, spec: { providerID: `sim:///zone-a/${id}` } });
    await under.ask('POST', `/instances/${id}/vanish`);

    await restart(30, { kubelet, nodeLostSeconds: 10 });
    await under.cloud.settle();

    expect(kubelet.ready).toBe('Unknown');
  });
});

describe('the simulated cloud as a process of its own', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  const run = (argument: string) => {
    const started = spawn(process.execPath, [join(import.meta.dirname, '../../../sim/cloud/main.ts'), argument]);
    child = started;
    return started;
  };
  const listening = async (argument: string): Promise<string> => {
    const started = run(argument);
    const [line] = await started.stdout.setEncoding('utf8').take(1).toArray();
    return (JSON.parse(String(line)) as { url: string }).url;
  };
  const killed = () =>
    new Promise<void>((resolve) => {
      child?.once('exit', () => resolve());
      child?.kill('SIGKILL');
    });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sim-cloud-'));
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) await killed();
    rmSync(directory, { recursive: true });
  });

  test('loses nothing that it has answered when it is killed', async () => {
    const argument = JSON.stringify({ file: join(directory, 'cloud.db'), bootSeconds: 0 });
    const url = await listening(argument);
    const create = async (number: number): Promise<string | undefined> => {
      const body = JSON.stringify({
        name: `n${number}`,
        token: `t${number}`,
        instanceType: 'general-small',
        zone: 'zone-a',
        capacityType: 'spot',
        tags: owned(`u${number}`),
      });
      try {
        const answer = await fetch(`${url}/instances`, { method: 'POST', body });
        return ((await answer.json()) as AnswerBody).id;
      } catch {
        return undefined;
      }
    };
    const racing = Array.from({ length: 60 }, (_, number) => create(number));
    await Promise.any(racing.map(async (one) => (await one) ?? Promise.reject(new Error('not answered'))));
    await killed();
    const answered = (await Promise.all(racing)).filter((id) => id !== undefined);

    const again = await listening(argument);

    const ledger = (await (await fetch(`${again}/ledger`)).json()) as { items: { id: string }[] };
    expect(answered.length).toBeGreaterThan(0);
    expect(ledger.items.map(({ id }) => id)).toEqual(expect.arrayContaining(answered));
  });

  test('refuses a wrong argument by name', async () => {
    const refused = run('{"bootSecond":1}');
    const text = (await refused.stderr.setEncoding('utf8').toArray()).join('');

    expect(text).toContain('bootSecond');
    expect(refused.exitCode ?? (await new Promise((resolve) => refused.once('exit', resolve)))).toBe(2);
  });
});
