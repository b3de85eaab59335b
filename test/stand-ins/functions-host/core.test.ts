import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionApp, installFunctionsCore, startApp } from './core.ts';
import { call, callHttp, callServiceBus, callTimer } from './invoke.ts';
import { loadApp } from './load.ts';

const folders: string[] = [];
let app: FunctionApp;
const seen: unknown[] = [];

beforeAll(async () => {
  installFunctionsCore();
  const functions = await import('@azure/functions');
  app = await startApp(() => {
    functions.app.http('hello', {
      methods: ['GET', 'POST'],
      authLevel: 'anonymous',
      route: 'hello/{who}',
      handler: async (request) => ({
        status: 201,
        jsonBody: { who: request.params.who, loud: request.query.get('loud'), body: await request.text() },
      }),
    });
    functions.app.timer('tick', { schedule: '0 * * * * *', handler: (timer) => void seen.push(timer.isPastDue) });
    functions.app.serviceBusQueue('work', {
      queueName: 'q',
      connection: 'bus',
      handler: (message, context) => {
        seen.push([message, context.triggerMetadata?.messageId, context.triggerMetadata?.deliveryCount]);
        if (context.triggerMetadata?.deliveryCount === 9) throw new Error('poison');
      },
    });
    functions.app.generic('double', {
      trigger: functions.trigger.generic({ type: 'activityTrigger' }),
      handler: (input) => (input as { n: number }).n * 2,
    });
    functions.app.hook.preInvocation((context) => {
      if (context.invocationContext.functionName === 'double') seen.push('hook');
    });
  });
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

it('records every function with the bindings that the host would see', () => {
  expect(app.index().map(({ name, bindings }) => [name, Object.values(bindings).map(({ type }) => type)])).toEqual([
    ['double', ['activityTrigger']],
    ['hello', ['httpTrigger', 'http']],
    ['tick', ['timerTrigger']],
    ['work', ['serviceBusTrigger']],
  ]);
  expect(Object.values(app.functions.get('work')!.bindings)[0]).toMatchObject({ queueName: 'q', connection: 'bus' });
});

it('calls functions through the real library', async () => {
  seen.length = 0;
  const answer = await callHttp(app, 'hello', {
    method: 'POST',
    url: 'http://host/api/hello/you?loud=yes',
    params: { who: 'you' },
    body: 'text',
  });
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.body)).toEqual({ who: 'you', loud: 'yes', body: 'text' });
  await callTimer(app, 'tick', true);
  await callServiceBus(app, 'work', { body: '{"a":1}', messageId: 'm', deliveryCount: 2 });
  expect(await call(app, 'double', { n: 21 })).toBe(42);
  expect(seen).toEqual([true, [{ a: 1 }, 'm', 2], 'hook']);
  await expect(callServiceBus(app, 'work', { body: '1', messageId: 'm', deliveryCount: 9 })).rejects.toThrow('poison');
  await expect(call(app, 'nobody', 1)).rejects.toThrow("'nobody' doesn't exist");
});

it('refuses a name that is taken, and a registration after the start', async () => {
  const functions = await import('@azure/functions');
  const register = () => functions.app.timer('twice', { schedule: '* * * * * *', handler: () => undefined });
  await expect(
    startApp(() => {
      register();
      register();
    }),
  ).rejects.toThrow('already been registered');
  expect(register).toThrow('during app startup');
});

function folder(files: Record<string, string>): string {
  // Inside the repository, so that the files find the libraries.
  const parent = join(import.meta.dirname, '../../../.tmp');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'functions-host-'));
  folders.push(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

it('loads what main matches, CommonJS and modules alike, and notes an entry that throws', async () => {
  const timer = (name: string) => `app.timer('${name}', { schedule: '0 * * * * *', handler() {} });`;
  const fine = folder({
    'package.json': '{ "main": "entry-*.{cjs,mjs}" }',
    'entry-a.cjs': `const { app } = require('@azure/functions'); ${timer('a')}`,
    'entry-b.mjs': `import { app } from '@azure/functions'; ${timer('b')}`,
    'other.mjs': `import { app } from '@azure/functions'; ${timer('c')}`,
  });
  expect((await loadApp(fine)).index().map(({ name }) => name)).toEqual(['a', 'b']);
  expect((await loadApp(fine)).functions.size).toBe(2);

  const broken = folder({ 'package.json': '{ "main": "entry.mjs" }', 'entry.mjs': "throw new Error('no setting');" });
  const app = await loadApp(broken);
  expect(app.functions.size).toBe(0);
  expect(app.failures).toMatchObject([{ file: 'entry.mjs', error: { message: 'no setting' } }]);
  expect(() => loadApp(folder({ 'package.json': '{ "main": "nothing.mjs" }' }))).toThrow('no file matches');
});
