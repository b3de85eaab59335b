import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../base/runtime.ts';
import { silentLog } from '../../../observe/log/log.ts';
import { openSqliteState, openStateDatabase } from '../../../state/sqlite/state.ts';
import { readDecisions, recordDecision } from './decision-log.ts';

const ref = { cluster: 'a', name: 'web', uid: 'u-1' };

function setUp(maxPerClaim = 50) {
  const clock = manualClock();
  const database = openStateDatabase({ file: ':memory:' });
  const open = () => openSqliteState({ ...database, clock });
  const servicesOn = (state: ReturnType<typeof open>) => ({
    state,
    clock,
    log: silentLog,
    settings: { decisions: { keepSeconds: 60, maxPerClaim } },
  });
  const services = servicesOn(open());
  return { clock, services, anotherProcess: () => servicesOn(open()), read: () => readDecisions(services.state, ref) };
}

const line = (message: string) => ['launch-waits', { reason: 'Paused', message }] as const;

const texts = (decisions: { text: string }[]): string[] => decisions.map(({ text }) => text);

describe('the decisions about a claim', () => {
  it('are kept in order, also those of one millisecond, and apart from those of others', async () => {
    const { services, read } = setUp();
    await recordDecision(services, { ...ref, uid: 'u-10' }, ...line('not mine'));
    for (let index = 0; index < 12; index++) await recordDecision(services, ref, ...line(`line ${index}`));

    expect(texts(await read())).toEqual(Array.from({ length: 12 }, (_, index) => `line ${index}`));
  });

  it('have one line for a wait that is asked about again and again', async () => {
    const { services, clock, read } = setUp();
    const until = 7;
    for (let round = 0; round < 5; round++) {
      await recordDecision(services, ref, 'node-awaited', { attempt: 1, message: 'no node yet', until });
      clock.advance(1000);
    }

    expect(await read()).toEqual([
      {
        at: clock.now() - 1000,
        step: 'join',
        code: 'node-awaited',
        fields: { attempt: 1, message: 'no node yet', until },
        text: 'attempt 1: no node yet',
      },
    ]);
  });

  it('go on where another process left them', async () => {
    const { services, anotherProcess, read } = setUp(3);
    for (const text of ['1', '2', '3']) await recordDecision(services, ref, ...line(text));
    const other = anotherProcess();
    await recordDecision(other, ref, ...line('3'));
    await recordDecision(other, ref, ...line('4'));

    expect(texts(await read())).toEqual(['2', '3', '4']);
  });

  it('are at most so many, the newest', async () => {
    const { services, read } = setUp(3);
    for (let index = 0; index < 10; index++) await recordDecision(services, ref, ...line(`line ${index}`));

    expect(texts(await read())).toEqual(['line 7', 'line 8', 'line 9']);
  });

  it('that are long for good are not read again with every further one', async () => {
    const { services, clock, read } = setUp();
    const failed = (attempt: number) => line(`${attempt} ${'said the cloud '.repeat(32)}`);
    for (let attempt = 0; attempt < 60; attempt++) await recordDecision(services, ref, ...failed(attempt));
    let reads = 0;
    const state = { ...services.state };
    state.get = (key) => {
      reads++;
      return services.state.get(key);
    };
    clock.advance(1000);
    await recordDecision({ ...services, state }, ref, ...failed(60));
    reads = 0;
    await recordDecision({ ...services, state }, ref, ...failed(61));

    expect(reads).toBe(0);
    expect(await read()).toHaveLength(50);
  });

  it('are cut at any depth, and in what is shown', async () => {
    const { services, read } = setUp();
    const why = 'denied by the webhook '.repeat(3000);
    const held = [{ pod: 'default/web', why, reason: 'EvictionFailed' as const }];
    await recordDecision(services, ref, 'draining', {
      node: 'n',
      left: 1,
      held,
      moreHeld: 0,
      leaving: [],
      moreLeaving: 0,
      heldBy: ['EvictionFailed'],
    });

    const [kept] = await read();
    expect(kept?.text.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(kept?.fields).length).toBeLessThan(1000);
  });

  it('lose the details of the older ones first when they get too long', async () => {
    const { services, read } = setUp();
    const detail = { rejected: 'x'.repeat(3900) };
    for (let index = 0; index < 20; index++) await recordDecision(services, ref, ...line(`line ${index}`), detail);

    const kept = await read();
    expect(kept).toHaveLength(20);
    expect(kept.at(0)?.detail).toBeUndefined();
    expect(kept.at(-1)?.detail).toEqual(detail);
    expect(JSON.stringify(kept).length).toBeLessThan(45_000);
  });

  it('are stored with the sentence that an older version shows', async () => {
    const { services } = setUp();
    await recordDecision(services, ref, 'node-ready', { node: 'n-1' });

    const { items } = await services.state.list(`decisions/${ref.cluster}/${ref.uid}/`);
    expect(items.map(({ value }) => value)).toMatchObject([
      { step: 'ready', text: 'node n-1 is ready', code: 'node-ready', fields: { node: 'n-1' } },
    ]);
  });

  it.each([
    ['of a version that kept only sentences', { at: 1, step: 'ready', text: 'node n-1 is ready' }],
    [
      'with a code that only a newer version knows',
      { at: 1, step: 'rest', text: 'it rests', code: 'rests', fields: {} },
    ],
    [
      'whose fields are not what this version writes',
      { at: 1, step: 'drain', text: 'it drains', code: 'draining', fields: {} },
    ],
  ])('%s are read with their stored sentence', async (_, stored) => {
    const { services, read } = setUp();
    await services.state.put(`decisions/${ref.cluster}/${ref.uid}/00000000000001-000001`, stored);

    expect(await read()).toEqual([stored]);
  });

  it('go when their time is over', async () => {
    const { services, clock, read } = setUp();
    await recordDecision(services, ref, ...line('long ago'));
    clock.advance(61_000);

    expect(await read()).toEqual([]);
  });
});
