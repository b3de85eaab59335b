import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../base/runtime.ts';
import { silentLog } from '../../../observe/log/log.ts';
import { openSqliteState, openStateDatabase } from '../../../state/sqlite/state.ts';
import { decided, readDecisions } from './decision-log.ts';

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

const texts = (decisions: { text: string }[]): string[] => decisions.map(({ text }) => text);

describe('the decisions about a claim', () => {
  it('are kept in order, also those of one millisecond, and apart from those of others', async () => {
    const { services, read } = setUp();
    await decided(services, { ...ref, uid: 'u-10' }, 'choose', 'not mine');
    for (let index = 0; index < 12; index++) await decided(services, ref, 'choose', `line ${index}`);

    expect(texts(await read())).toEqual(Array.from({ length: 12 }, (_, index) => `line ${index}`));
  });

  it('have one line for a wait that is asked about again and again', async () => {
    const { services, clock, read } = setUp();
    for (let round = 0; round < 5; round++) {
      await decided(services, ref, 'join', 'no node yet');
      clock.advance(1000);
    }

    expect(await read()).toEqual([{ at: clock.now() - 1000, step: 'join', text: 'no node yet' }]);
  });

  it('go on where another process left them', async () => {
    const { services, anotherProcess, read } = setUp(3);
    for (const text of ['1', '2', '3']) await decided(services, ref, 'choose', text);
    const other = anotherProcess();
    await decided(other, ref, 'choose', '3');
    await decided(other, ref, 'choose', '4');

    expect(texts(await read())).toEqual(['2', '3', '4']);
  });

  it('are at most so many, the newest', async () => {
    const { services, read } = setUp(3);
    for (let index = 0; index < 10; index++) await decided(services, ref, 'choose', `line ${index}`);

    expect(texts(await read())).toEqual(['line 7', 'line 8', 'line 9']);
  });

  it('lose the details of the older ones first when they get too long', async () => {
    const { services, read } = setUp();
    const detail = { rejected: 'x'.repeat(3900) };
    for (let index = 0; index < 20; index++) await decided(services, ref, 'choose', `line ${index}`, detail);

    const kept = await read();
    expect(kept).toHaveLength(20);
    expect(kept.at(0)?.detail).toBeUndefined();
    expect(kept.at(-1)?.detail).toEqual(detail);
    expect(JSON.stringify(kept).length).toBeLessThan(45_000);
  });

  it('go when their time is over', async () => {
    const { services, clock, read } = setUp();
    await decided(services, ref, 'choose', 'long ago');
    clock.advance(61_000);

    expect(await read()).toEqual([]);
  });
});
