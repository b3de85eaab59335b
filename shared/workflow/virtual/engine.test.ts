import { describe, expect, it } from 'vitest';
import { call, defineWorkflow, sleep, waitSignal } from '../vocabulary.ts';
import { VirtualEngine } from './engine.ts';

const errand = defineWorkflow({
  name: 'errand',
  version: 1,
  *run(_input: null) {
    yield* call('first', null);
    const told = yield* waitSignal('stop', 100);
    yield* call('second', { told });
    return told;
  },
});
const start = { workflow: errand, key: 'k', input: null, group: 'g' };

function setup() {
  const calls: string[] = [];
  const activity = (name: string) => async () => {
    calls.push(name);
    return null;
  };
  const engine = new VirtualEngine({
    workflows: [errand],
    activities: { first: activity('first'), second: activity('second') },
  });
  return { engine, calls };
}

describe('the virtual-clock engine', () => {
  it.each([
    ['asks for another command', () => call('other', null)],
    ['asks for the same with another input', () => call('work', { at: 'another time' })],
  ])('fails loudly when a workflow %s on replay', async (_title, second) => {
    let runs = 0;
    const fickle = defineWorkflow({
      name: 'fickle',
      version: 1,
      *run(_input: null) {
        runs++;
        yield* runs === 1 ? call('work', null) : second();
        return null;
      },
    });
    const work = async () => null;
    const engine = new VirtualEngine({ workflows: [fickle], activities: { work, other: work } });
    await engine.ensure({ workflow: fickle, key: 'k', input: null, group: 'g' });

    await expect(engine.runUntilIdle()).rejects.toThrow('workflow "fickle" is not deterministic: step 0');
  });

  it('lets a test act between any two steps', async () => {
    const { engine, calls } = setup();
    engine.beforeStep = async (id, command) => {
      calls.push(`before ${id} ${command.activity}`);
      if (command.activity === 'first') await engine.signal('k', 'stop');
    };
    await engine.ensure(start);
    await engine.runUntilIdle();

    expect(calls).toEqual(['before k/1 first', 'first', 'before k/1 second', 'second']);
    expect(await engine.latest('k')).toMatchObject({ result: true });
  });

  it('jumps to the next due time, and stops where it is told', async () => {
    const { engine } = setup();
    const began = engine.clock.now();
    await engine.ensure(start);
    await engine.runUntil(began + 40_000);
    expect(engine.clock.now() - began).toBe(40_000);
    expect(await engine.latest('k')).toMatchObject({ status: 'running', waitingFor: 'wait-signal stop' });
    await engine.runUntilIdle();

    expect(engine.clock.now() - began).toBe(100_000);
    expect(engine.commandsOf('k/1')).toEqual(['call first', 'wait-signal stop', 'call second']);
    expect(engine.executions).toBe(2);
  });

  it('forgets a history when told, and starts the next epoch after it', async () => {
    const { engine, calls } = setup();
    await engine.ensure(start);
    await engine.runUntil(engine.clock.now() + 1000);
    engine.loseHistory('k');
    expect(await engine.latest('k')).toBeUndefined();
    expect(await engine.ensure(start)).toEqual({ id: 'k/2', epoch: 2, started: true });
    await engine.runUntilIdle();

    expect(calls).toEqual(['first', 'first', 'second']);
    expect(engine.all().map((info) => info.id)).toEqual(['k/2']);
  });

  it('drops the result of a step whose history was lost while it ran', async () => {
    const { engine } = setup();
    engine.beforeStep = () => engine.loseHistory('k');
    await engine.ensure(start);
    await engine.runUntilIdle();

    expect(engine.executions).toBe(0);
  });

  it('repeats a step around which the process died', async () => {
    const { engine, calls } = setup();
    engine.crashAt(0, 'before');
    engine.crashAt(1, 'after');
    await engine.ensure(start);
    await engine.runUntilIdle();

    expect(calls).toEqual(['first', 'first', 'second']);
    expect(engine.executions).toBe(4);
  });

  it('does not take a sleep of nothing for a wait', async () => {
    const quick = defineWorkflow({
      name: 'quick',
      version: 1,
      *run(_input: null) {
        yield* sleep(0);
        return 'done';
      },
    });
    const engine = new VirtualEngine({ workflows: [quick], activities: {} });
    await engine.ensure({ workflow: quick, key: 'k', input: null, group: 'g' });
    await engine.runUntil(engine.clock.now());

    expect(await engine.latest('k')).toMatchObject({ status: 'completed' });
  });
});
