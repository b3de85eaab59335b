/** A queue as simple as can be, and random commands that must find the driver agreeing with it after every step. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { defined } from '../../../shared/base/defined.ts';
import type { Message, Queue, QueueOptions } from '../../../shared/queue/contract.ts';
import type { QueueHarness } from './conformance.ts';

const options: QueueOptions = { visibilitySeconds: 10, maxReceives: 2, maxBodyBytes: 1000 };

interface ModelMessage {
  body: string;
  group: string;
  enqueued: number;
  visible: number;
  order: number;
  count: number;
  /** Which delivery may settle it. */
  delivery: number | undefined;
  failure: string | undefined;
}

interface Model {
  now: number;
  sent: number;
  messages: ModelMessage[];
  /** Which group gave a message last; a new process does not know. */
  last: string | undefined;
  dead: { body: string; group: string; reason: string; count: number; order: number }[];
  /** Every delivery ever made, by the body of its message. */
  deliveries: { body: string }[];
}

interface Real {
  harness: QueueHarness;
  queue: Queue;
  deliveries: Message[];
}

type Command = fc.AsyncCommand<Model, Real>;

const ready = (model: Model) => model.messages.filter(({ visible }) => visible <= model.now);

function remove(model: Model, message: ModelMessage): void {
  model.messages = model.messages.filter((other) => other !== message);
}

function bury(model: Model, message: ModelMessage, reason: string): void {
  remove(model, message);
  const { body, group, count, order } = message;
  model.dead.push({ body, group, reason, count, order });
}

const tooOften = ({ count, failure }: ModelMessage): string =>
  failure === undefined
    ? `received ${count} times, and never settled: its handler crashed or took longer than 10 s`
    : `received ${count} times, last failure: ${failure}`;

const command = (name: string, run: Command['run']): Command => ({ check: () => true, run, toString: () => name });

const groups = ['', 'a', 'b'];

/** One of each group, from the group after the last one on, and again: as long as there are any. */
function* inTurn(model: Model): Generator<ModelMessage> {
  const waiting = new Map(groups.map((group) => [group, ready(model).filter((one) => one.group === group)]));
  for (const all of waiting.values()) all.sort((a, b) => a.visible - b.visible || a.order - b.order);
  const { last } = model;
  const next = last === undefined ? 0 : groups.findIndex((group) => group > last);
  const ring = next <= 0 ? groups : [...groups.slice(next), ...groups.slice(0, next)];
  while ([...waiting.values()].some((all) => all.length > 0)) {
    for (const group of ring) {
      // What is buried takes no turn.
      for (let one = waiting.get(group)?.shift(); one; one = waiting.get(group)?.shift()) {
        const isBuried = one.count === options.maxReceives;
        yield one;
        if (!isBuried) break;
      }
    }
  }
}

const send = (count: number, delay: number, group: string) =>
  command(`send(${count}, ${delay}, ${group})`, async (model, real) => {
    const bodies = Array.from({ length: count }, () => `m${model.sent++}`);
    for (const body of bodies) {
      const order = Number(body.slice(1));
      const { now } = model;
      model.messages.push({
        body,
        group,
        enqueued: now,
        visible: now + delay,
        order,
        count: 0,
        delivery: undefined,
        failure: undefined,
      });
    }
    await real.queue.send(bodies, { delaySeconds: delay, ...(group === '' ? {} : { group }) });
  });

const receive = (max: number) =>
  command(`receive(${max})`, async (model, real) => {
    const expected: { body: string; receiveCount: number }[] = [];
    for (const message of inTurn(model)) {
      if (expected.length === max) break;
      if (message.count === options.maxReceives) {
        bury(model, message, tooOften(message));
        continue;
      }
      message.count++;
      model.last = message.group;
      message.visible = model.now + options.visibilitySeconds;
      message.delivery = model.deliveries.push({ body: message.body }) - 1;
      expected.push({ body: message.body, receiveCount: message.count });
    }
    const messages = await real.queue.receive(max);
    real.deliveries.push(...messages);
    expect(messages.map(({ body, receiveCount }) => ({ body, receiveCount }))).toEqual(expected);
  });

/** Settles any delivery ever made, the stale ones too. */
const settle = (
  name: string,
  pick: number,
  change: (model: Model, message: ModelMessage) => void,
  act: (queue: Queue, message: Message) => Promise<boolean>,
) =>
  ({
    ...command(`${name}[${pick}]`, async (model, real) => {
      const index = pick % model.deliveries.length;
      const message = model.messages.find(({ delivery }) => delivery === index);
      if (message) change(model, message);
      expect(await act(real.queue, real.deliveries[index]!)).toBe(message !== undefined);
    }),
    check: (model) => model.deliveries.length > 0,
  }) satisfies Command;

const complete = (pick: number) =>
  settle(
    'complete',
    pick,
    (model, message) => remove(model, message),
    (queue, message) => queue.complete(message),
  );

const abandon = (pick: number, delay: number, reason: string | undefined) =>
  settle(
    `abandon(${delay}, ${reason})`,
    pick,
    (model, message) => {
      message.failure = reason ?? message.failure;
      message.delivery = undefined;
      message.visible = model.now + delay;
      if (message.count === options.maxReceives) bury(model, message, tooOften(message));
    },
    (queue, message) => queue.abandon(message, { delaySeconds: delay, ...defined({ reason }) }),
  );

const extend = (pick: number, seconds: number) =>
  settle(
    `extend(${seconds})`,
    pick,
    (model, message) => {
      message.visible = model.now + seconds;
    },
    (queue, message) => queue.extend(message, seconds),
  );

const kill = (pick: number) =>
  settle(
    'deadLetter',
    pick,
    (model, message) => bury(model, message, 'bad'),
    (queue, message) => queue.deadLetter(message, 'bad'),
  );

const pass = (seconds: number) =>
  command(`pass(${seconds})`, async (model, real) => {
    model.now += seconds;
    await real.harness.pass(seconds);
  });

const replay = command('replay', async (model, real) => {
  const { dead, now } = model;
  model.dead = [];
  for (const { body, group, order } of dead) {
    model.messages.push({
      body,
      group,
      enqueued: now,
      visible: now,
      order,
      count: 0,
      delivery: undefined,
      failure: undefined,
    });
  }
  expect(await real.queue.replay()).toBe(dead.length);
});

const drop = (pick: number) =>
  ({
    ...command(`drop[${pick}]`, async (model, real) => {
      const index = pick % model.dead.length;
      model.dead = model.dead.filter((_, at) => at !== index);
      const { items } = await real.queue.deadLetters({ limit: 1000 });
      expect(await real.queue.dropDeadLetters([items[index]?.id ?? ''])).toBe(1);
    }),
    check: (model) => model.dead.length > 0,
  }) satisfies Command;

const look = command('look', async (model, real) => {
  const waiting = ready(model);
  const hidden = model.messages.filter(({ visible }) => visible > model.now);
  const inFlight = hidden.filter(({ delivery }) => delivery !== undefined).length;
  expect(await real.queue.stats()).toEqual({
    ready: waiting.length,
    delayed: hidden.length - inFlight,
    inFlight,
    dead: model.dead.length,
    oldestAgeMs: waiting.length === 0 ? 0 : (model.now - Math.min(...waiting.map(({ enqueued }) => enqueued))) * 1000,
  });
  const { items } = await real.queue.deadLetters({ limit: 1000 });
  expect(items.map(({ body, reason, receiveCount }) => ({ body, reason, count: receiveCount }))).toEqual(
    model.dead.map(({ body, reason, count }) => ({ body, reason, count })),
  );
});

const crash = command('crash', async (model, real) => {
  model.last = undefined;
  await real.harness.crash();
  real.queue = await real.harness.open('model', options);
});

export async function queueModel(make: () => Promise<QueueHarness>, runs: number): Promise<void> {
  const pick = fc.nat(40);
  const seconds = fc.constantFrom(0, 0, 3, 10, 11);
  const commands = fc.commands(
    [
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), seconds, fc.constantFrom(...groups))
        .map(([count, delay, group]) => send(count, delay, group)),
      fc.integer({ min: 1, max: 4 }).map(receive),
      fc.integer({ min: 1, max: 4 }).map(receive),
      pick.map(complete),
      fc
        .tuple(pick, seconds, fc.option(fc.constantFrom('x', 'y'), { nil: undefined }))
        .map(([at, delay, reason]) => abandon(at, delay, reason)),
      fc.tuple(pick, seconds).map(([at, delay]) => extend(at, delay)),
      pick.map(kill),
      seconds.map(pass),
      fc.constant(replay),
      pick.map(drop),
      fc.constant(look),
      fc.constant(crash),
    ],
    { maxCommands: 40, size: '+1' },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const harness = await make();
      try {
        const model: Model = { now: 0, sent: 0, messages: [], last: undefined, dead: [], deliveries: [] };
        const real: Real = { harness, queue: await harness.open('model', options), deliveries: [] };
        await fc.asyncModelRun(() => ({ model, real }), [...list, look]);
      } finally {
        await harness.close();
      }
    }),
    { numRuns: runs },
  );
}
