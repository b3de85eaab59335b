/** What a cloud writes reaches people and terminals as plain text, by every way out. */
import { expect, it } from 'vitest';
import { rememberSecret } from '../../shared/base/secrets/known-secrets.ts';
import { plainLine } from '../../shared/base/text.ts';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { only, useWorld } from './use-world.ts';

const open = useWorld();

/** Clears a screen, ends a text, is a control sequence in one byte, forges a line, turns the writing around. */
const hostile = 'no\u001b[2J\u0000\u009b31m\n{"level":"info","event":"claim.ready"}\r\u2028\u202egnp.exe\u2066!\ufeff';
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

it('is one line without control characters', () => {
  expect(plainLine(hostile)).toBe('no [2J 31m {"level":"info","event":"claim.ready"} gnp.exe !');
  expect(plainLine('Grüße 👩‍🚀 東京')).toBe('Grüße 👩‍🚀 東京');
});

it('without a credential that this process has, in conditions, Events, decisions, logs and the state', async () => {
  const token = 'fake-Token+0123456789/abcdef==';
  rememberSecret(token);
  const message = `refused: Bearer ${token}, ${encodeURIComponent(token)}, ${Buffer.from(token).toString('base64')}`;
  const faults: FaultRules = [{ on: 'create', do: { kind: 'refused', status: 400, code: 'Bad', message } }];
  const raw: string[] = [];
  const { createClaim, pass, claim, eventsOf, decisionsOf } = await open({
    cloud: { faults },
    logTo: (line) => void raw.push(line),
  });
  await createClaim('one', { requirements: only(['general-small']) });
  await pass(120);
  const one = (await claim('one'))!;
  const texts = {
    claim: JSON.stringify(one),
    events: JSON.stringify(await eventsOf('one')),
    decisions: JSON.stringify(await decisionsOf(one)),
    logs: raw.join(''),
  };
  for (const [where, text] of Object.entries(texts)) {
    expect(text, where).toContain('refused: Bearer [redacted]');
    expect(text, where).not.toMatch(/fake-Token|ZmFrZS1Ub2tlb/);
  }
});

it('in conditions, Events, decisions and logs', async () => {
  const faults: FaultRules = [
    { on: 'create', do: { kind: 'refused', status: 400, code: 'Bad\u001b[0m', message: hostile } },
  ];
  const raw: string[] = [];
  const { createClaim, pass, claim, eventsOf, decisionsOf } = await open({
    cloud: { faults },
    logTo: (line) => void raw.push(line),
  });
  await createClaim('one', { requirements: only(['general-small']) });
  await pass(120);
  const one = (await claim('one'))!;
  const texts = {
    conditions: one.status?.conditions?.map(({ message }) => message) ?? [],
    events: (await eventsOf('one')).map((event) => event.message ?? ''),
    decisions: (await decisionsOf(one)).map(({ text, fields, detail }) => JSON.stringify({ text, fields, detail })),
    logs: raw.map((line) => line.slice(0, -1)),
  };
  for (const [where, found] of Object.entries(texts)) {
    expect(
      found.some((text) => text.includes('gnp.exe')),
      where,
    ).toBe(true);
    expect(
      found.filter((text) => obeyed.test(text)),
      where,
    ).toEqual([]);
  }
  expect(texts.decisions.filter((text) => /\\u00|\\n/.test(text))).toEqual([]);
});
