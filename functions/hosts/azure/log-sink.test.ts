import { expect, it, vi } from 'vitest';
import { createLog } from '../../../shared/observe/log/log.ts';
import { onBehalfOf } from './invocation.ts';
import { azureSink } from './log-sink.ts';

function invocationLog() {
  const lines: [string, string][] = [];
  const at =
    (level: string) =>
    (line: string): void =>
      void lines.push([level, line]);
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const log = createLog({ level: 'debug', pretty: false, sink: azureSink });

it('writes a line through the invocation that it belongs to, with its level, also beside others', async () => {
  const [one, other] = [invocationLog(), invocationLog()];
  const { promise: both, resolve } = Promise.withResolvers<void>();
  const first = onBehalfOf({ log: one.log, durableClient: undefined }, async () => {
    await both;
    log.write('timer.failed', { level: 'a field that is called like one' });
  });
  await onBehalfOf({ log: other.log, durableClient: undefined }, async () => {
    log.write('claim.failed');
    resolve();
  });
  await first;
  expect(one.lines).toMatchObject([
    ['error', expect.stringMatching(/^\{"level":"error".*"event":"timer.failed".*\}$/)],
  ]);
  expect(other.lines).toMatchObject([['warn', expect.stringContaining('claim.failed')]]);
});

it('writes to standard output what belongs to none, or to one that is over', async () => {
  const written: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  try {
    const { log: sink, lines } = invocationLog();
    let later = (): void => undefined;
    await onBehalfOf({ log: sink, durableClient: undefined }, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      later = resolve;
      void promise.then(() => log.write('host.stopped'));
    });
    later();
    await Promise.resolve();
    log.write('host.started');
    expect(lines).toEqual([]);
    expect(written).toEqual([expect.stringContaining('host.stopped'), expect.stringContaining('host.started')]);
  } finally {
    stdout.mockRestore();
  }
});
