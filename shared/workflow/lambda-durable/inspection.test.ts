import { describe, expect, it } from 'vitest';
import { defined } from '../../base/defined.ts';
import type { ExecutionView, LambdaApi } from './api.ts';
import { LambdaInspection } from './inspection.ts';

/** A service with many executions that failed, the last of them because of their host. */
function service(failed: number, setAside: number) {
  let asked = 0;
  const executions = Array.from({ length: failed + setAside }, (_, index): ExecutionView => {
    const input = JSON.stringify({ workflow: 'launch', v: 1, id: `sim/u-${index}/launch/1`, input: null });
    const type = index < failed ? 'Error' : 'Workflow.set-aside';
    const told = { input, error: { type, message: 'no' } };
    return { arn: `arn:${index}`, name: `${index}`, status: 'FAILED', startedAt: index, ...told };
  });
  const api: Pick<LambdaApi, 'list' | 'execution'> = {
    list: async () => ({ items: executions }),
    execution: async (arn) => {
      asked++;
      return executions.find((one) => one.arn === arn);
    },
  };
  return { inspection: new LambdaInspection(api as LambdaApi, { arnOf: async () => undefined }), asked: () => asked };
}

describe('one execution', () => {
  const id = 'sim/u-1/launch/2';
  const input = JSON.stringify({ workflow: 'launch', v: 1, id, input: null });
  const there: ExecutionView = { arn: 'arn:1', name: 'n', status: 'SUCCEEDED', startedAt: 0, input };
  const inspect = (found: ExecutionView | undefined, known: string | undefined) => {
    const api: Pick<LambdaApi, 'functionName' | 'find' | 'execution' | 'history'> = {
      functionName: 'workflows',
      find: async () => found,
      execution: async (arn) => (arn === there.arn ? there : undefined),
      history: async () => ({ events: [] }),
    };
    const arnOf = async (key: string, epoch: number) => (`${key}/${epoch}` === id ? known : undefined);
    return new LambdaInspection(api as LambdaApi, { arnOf }).inspect(id);
  };

  it('is found by what was written down, whatever the alias means by now', async () => {
    expect(await inspect(undefined, 'arn:1')).toMatchObject({ id, status: 'completed' });
  });

  it('is found by its name where nothing was, or something that is gone', async () => {
    expect(await inspect(there, undefined)).toMatchObject({ id });
    expect(await inspect(there, 'arn:0')).toMatchObject({ id });
    expect(await inspect(undefined, 'arn:0')).toBeUndefined();
  });
});

describe('a list of executions', () => {
  it('asks for so many in one page, and goes on where that one ended', async () => {
    const { inspection, asked } = service(700, 2);
    const ids: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const before = asked();
      const page = await inspection.list({ status: 'set-aside', ...defined({ after }) });
      expect(asked() - before).toBeLessThanOrEqual(300);
      ids.push(...page.items.map(({ id }) => id));
      after = page.next;
      pages++;
    } while (after !== undefined);
    expect(pages).toBe(3);
    expect(ids).toEqual(['sim/u-700/launch/1', 'sim/u-701/launch/1']);
    expect(asked()).toBe(702);
  });
});
