import { describe, expect, it } from 'vitest';
import { manualTimers } from '../../test/conformance/queue/manual-timers.ts';
import { manualClock } from '../base/runtime.ts';
import { SendError, type Sender } from './contract.ts';
import { patientSender } from './patient-sender.ts';

/** A far side that answers each try as the script says, and takes everything once the script is over. */
function setUp(script: ((bodies: readonly string[]) => void | Promise<void>)[] = []) {
  const timers = manualTimers(manualClock());
  const stop = new AbortController();
  const tries: string[][] = [];
  const failures: { message: string; failures: number; pauseSeconds: number }[] = [];
  const to: Sender = {
    name: 'far',
    send: async (bodies) => {
      tries.push([...bodies]);
      await script.shift()?.(bodies);
    },
  };
  const sender = patientSender({
    to,
    random: () => 1,
    signal: stop.signal,
    timers,
    onFailure: (failure) => failures.push(failure),
  });
  return { sender, timers, stop, tries, failures };
}

const fail = (message: string, retryAfterSeconds?: number) => () => {
  throw new SendError(message, retryAfterSeconds);
};

describe('a patient sender', () => {
  it('sends what comes in one turn, or while a batch is under way, together and in order', async () => {
    const gate = Promise.withResolvers<void>();
    const { sender, timers, tries } = setUp([() => gate.promise]);
    const first = [sender.send(['a']), sender.send(['b', 'c'])];
    await timers.rest();
    const second = [sender.send(['d']), sender.send(['e'])];
    await timers.rest();
    expect(tries).toEqual([['a', 'b', 'c']]);
    expect(sender.pending).toBe(5);

    gate.resolve();
    await Promise.all([...first, ...second]);

    expect(tries).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    expect(sender.pending).toBe(0);
  });

  it('tries again with growing pauses until it is through, and says meanwhile what is wrong', async () => {
    const { sender, timers, tries, failures } = setUp([fail('away'), fail('away'), fail('away')]);
    let sent = false;
    void sender.send(['a']).then(() => {
      sent = true;
    });

    await timers.pass(500 + 1000);
    expect(sender.trouble).toBe('away');
    expect(sent).toBe(false);
    await timers.pass(2000);

    expect(sent).toBe(true);
    expect(sender.trouble).toBeUndefined();
    expect(tries).toHaveLength(4);
    expect(failures.map(({ pauseSeconds }) => pauseSeconds)).toEqual([0.5, 1, 2]);
  });

  it('never waits longer than half a minute by itself', async () => {
    const { sender, timers, failures } = setUp(Array.from({ length: 12 }, () => fail('away')));
    const sent = sender.send(['a']);
    await timers.pass(600_000);
    await sent;
    expect(failures.at(-1)?.pauseSeconds).toBe(30);
  });

  it('waits as long as the far side asks, within reason', async () => {
    const { sender, timers, failures } = setUp([fail('full', 7), fail('full', 86_400)]);
    const sent = sender.send(['a']);
    await timers.pass(7000 + 120_000);
    await sent;
    expect(failures.map(({ pauseSeconds }) => pauseSeconds)).toEqual([7, 120]);
  });

  it('lets no message that can never be sent hold up the others', async () => {
    const refuseBig = (bodies: readonly string[]) => {
      if (bodies.includes('big')) throw new RangeError('too big');
    };
    const { sender } = setUp(Array.from({ length: 4 }, () => refuseBig));
    const ended = await Promise.allSettled([sender.send(['a']), sender.send(['big']), sender.send(['b'])]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('gives up what waits when it is stopped', async () => {
    const { sender, timers, stop, failures } = setUp([fail('away')]);
    const waiting = [sender.send(['a']), sender.send(['b'])];
    await timers.rest();
    stop.abort();
    const ended = await Promise.allSettled(waiting);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(failures).toHaveLength(1);
    expect(timers.pending).toBe(0);
    await expect(sender.send(['c'])).rejects.toThrow('stopped');
  });
});
