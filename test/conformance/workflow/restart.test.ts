/** Starting a workflow once more by request: the same on every engine that people can ask. */
import { afterEach, describe, expect, it } from 'vitest';
import { workflowAbilities } from '../../../functions/hosts/common/workflow-abilities.ts';
import type { WorkflowAbilities } from '../../../functions/http/options.ts';
import type { Json } from '../../../shared/base/json.ts';
import { readEndpoint } from '../../../shared/workflow/durable-functions/endpoint.ts';
import { DurableInspection } from '../../../shared/workflow/durable-functions/inspection.ts';
import { call, defineWorkflow, type Steps, type Workflow, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import { makeDurableHarness } from './durable-harness.ts';
import type { Harness, HarnessSetup } from './harness.ts';
import { makeLambdaHarness } from './lambda-harness.ts';
import { makeSqliteHarness } from './sqlite-harness.ts';

interface Made {
  harness: Harness;
  /** Asked anew each time: a process may have died. */
  abilities(): Pick<WorkflowAbilities, 'inspect' | 'restart'>;
}

const engines: Record<string, (setup: HarnessSetup) => Promise<Made>> = {
  async SQLite(setup) {
    const harness = await makeSqliteHarness(setup);
    return { harness, abilities: () => harness.engine };
  },
  async 'Durable Functions'(setup) {
    const harness = await makeDurableHarness(setup);
    const inspection = new DurableInspection(readEndpoint(harness.http.clientData().string));
    return { harness, abilities: () => workflowAbilities(() => ({ inspection, client: harness.newClient() })) };
  },
  async 'Lambda durable'(setup) {
    const harness = await makeLambdaHarness(setup);
    const { inspection } = harness;
    return { harness, abilities: () => workflowAbilities(() => ({ inspection, client: harness.newClient() })) };
  },
};

const key = 'cluster/claim/launch';
const flow = (run: (input: Json) => Steps<Json>, name = 'test'): Workflow => defineWorkflow({ name, version: 1, run });

describe.each(Object.entries(engines))('a restart on %s', (_name, make) => {
  let made: Made | undefined;
  let calls: string[] = [];
  afterEach(async () => {
    await made?.harness.close();
    made = undefined;
  });

  async function start(workflow: Workflow): Promise<Made> {
    calls = [];
    made = await make({
      workflows: [workflow],
      activities: {
        echo: async (input, { workflowId }) => {
          calls.push(`${workflowId} ${JSON.stringify(input)}`);
          return input;
        },
        boom: async () => {
          throw new Error('boom');
        },
      },
    });
    await made.harness.client.ensure({ workflow, key, input: { claim: 'web' }, group: 'cluster' });
    return made;
  }

  const echoing = flow((input) => call<Json>('echo', input)[Symbol.iterator]());
  const failing = flow(() => call<Json>('boom', null)[Symbol.iterator]());
  const waiting = flow(function* (input) {
    yield* call('echo', 'waits');
    yield* waitSignal('look', 3600);
    return yield* call<Json>('echo', input);
  });

  it('of one that has completed begins the next epoch with the same input', async () => {
    const { harness, abilities } = await start(echoing);
    await harness.runUntilIdle();

    expect(await abilities().restart(`${key}/1`, {})).toEqual({ id: `${key}/2`, epoch: 2 });
    await harness.runUntilIdle();

    expect(calls).toEqual([`${key}/1 {"claim":"web"}`, `${key}/2 {"claim":"web"}`]);
    expect(await harness.client.latest(key)).toMatchObject({ epoch: 2, status: 'completed' });
    expect(await abilities().inspect(`${key}/1`)).toMatchObject({ status: 'completed' });
  });

  it('of one that has failed does the same', async () => {
    const { harness, abilities } = await start(failing);
    await harness.runUntilIdle();

    expect(await abilities().restart(`${key}/1`, {})).toMatchObject({ epoch: 2 });
    await harness.runUntilIdle();

    expect(await harness.client.latest(key)).toMatchObject({ epoch: 2, status: 'failed', error: 'boom' });
  });

  it('of one that runs is refused, unless by force', async () => {
    const { harness, abilities } = await start(waiting);
    await harness.runFor(1);

    await expect(abilities().restart(`${key}/1`, {})).rejects.toMatchObject({ obstacle: 'running' });
    expect(await abilities().restart(`${key}/1`, { force: true })).toMatchObject({ epoch: 2 });
    await harness.runFor(1);

    expect(await abilities().inspect(`${key}/1`)).toMatchObject({ status: 'failed' });
    expect(await harness.client.latest(key)).toMatchObject({ epoch: 2, status: 'running' });
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();
    expect(calls).toEqual([`${key}/1 "waits"`, `${key}/2 "waits"`, `${key}/2 {"claim":"web"}`]);
  });

  it('holds when the process dies at once', async () => {
    const { harness, abilities } = await start(waiting);
    await harness.runFor(1);
    await abilities().restart(`${key}/1`, { force: true });
    await harness.restart();
    await harness.runUntilIdle();

    expect(await harness.client.latest(key)).toMatchObject({ epoch: 2, status: 'completed' });
    expect(calls.filter((one) => one.startsWith(`${key}/1`))).toEqual([`${key}/1 "waits"`]);
  });

  it('is not repeated by who asks for the same one again, or at the same moment', async () => {
    const { harness, abilities } = await start(echoing);
    await harness.runUntilIdle();

    const answers = await Promise.allSettled([1, 2, 3].map(() => abilities().restart(`${key}/1`, { force: true })));
    await harness.runUntilIdle();

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ obstacle: 'superseded' });
    }
    await expect(abilities().restart(`${key}/1`, { force: true })).rejects.toMatchObject({ obstacle: 'superseded' });
    expect(calls).toHaveLength(2);
  });

  it('leaves the key to whoever makes sure that it runs', async () => {
    const { harness, abilities } = await start(waiting);
    await harness.runFor(1);
    await abilities().restart(`${key}/1`, { force: true });

    expect(
      await harness.client.ensure({ workflow: waiting, key, input: { claim: 'web' }, group: 'cluster' }),
    ).toMatchObject({ epoch: 2, started: false });
  });

  it.each([`${key}/9`, 'nobody', 'cluster/other/launch/1'])('of %s, which nobody knows, is refused', async (id) => {
    const { abilities } = await start(echoing);
    await expect(abilities().restart(id, { force: true })).rejects.toMatchObject({ obstacle: 'unknown' });
  });

  it('of one that the code does not have any more is refused', async () => {
    const { harness, abilities } = await start(echoing);
    await harness.runUntilIdle();
    await harness.restart([flow(echoing.run, 'other')]);

    await expect(abilities().restart(`${key}/1`, {})).rejects.toMatchObject({ obstacle: 'unregistered' });
  });
});

describe('a restart on SQLite of one whose step is under way', () => {
  it('takes no notice of its answer, and counts it once', async () => {
    let answer: (value: Json) => void = () => undefined;
    const workflow = flow(() => call<Json>('slow', null)[Symbol.iterator]());
    const harness = await makeSqliteHarness({
      workflows: [workflow],
      activities: {
        slow: (_input, { workflowId }) =>
          workflowId.endsWith('/1')
            ? new Promise((resolve) => {
                answer = resolve;
              })
            : Promise.resolve('new'),
      },
    });
    const { engine } = harness;
    await engine.ensure({ workflow, key, input: null, group: 'cluster' });
    await harness.settle();

    await engine.restart(`${key}/1`, { force: true });
    await harness.runUntilIdle();
    answer('old');
    await harness.settle();

    expect(await engine.inspect(`${key}/1`)).toMatchObject({
      status: 'failed',
      error: 'running; retried as epoch 2',
      history: [],
    });
    expect(await engine.latest(key)).toMatchObject({ epoch: 2, status: 'completed', result: 'new' });
    expect(engine.stats()).toMatchObject({ byWorkflow: { test: { failed: 1, completed: 1 } }, running: 0, hot: 0 });
    expect(engine.stats().byWorkflow.test?.running ?? 0).toBe(0);
    expect(harness.fatal).toEqual([]);
    await harness.close();
  });
});
