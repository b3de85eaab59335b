import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awsRights } from '../../infra/aws/rights.ts';
import { awsRightsPage, generatedAwsRightsPage } from './aws-rights.ts';

const repository = join(import.meta.dirname, '../..');

/** The action that IAM knows a command by, where it has another name; undefined: it needs no right. */
const otherNames: Record<string, string | undefined> = {
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  DeleteMessageBatch: 'DeleteMessage',
  SendMessageBatch: 'SendMessage',
  GetCallerIdentity: undefined,
  // By the local host, which may know a queue by its name; functions know theirs by its address.
  GetQueueUrl: undefined,
};

/** Nobody calls these by name: AWS asks for them when something else is called, or a library of its own does. */
const behindTheScenes = new Set([
  'CreateLogStream',
  'PutLogEvents',
  'CreateNetworkInterface',
  'DescribeNetworkInterfaces',
  'DeleteNetworkInterface',
  'AssignPrivateIpAddresses',
  'UnassignPrivateIpAddresses',
  'RunInstances',
  'CreateTags',
  'PassRole',
  'Decrypt',
  'CheckpointDurableExecution',
  'GetDurableExecutionState',
  // By our own client of the Lambda service: shared/workflow/lambda-durable/{http-api,invoke}.ts.
  'InvokeFunction',
  'SendDurableExecutionCallbackSuccess',
  'GetDurableExecution',
  'GetDurableExecutionHistory',
  'ListDurableExecutionsByFunction',
  'StopDurableExecution',
  'InvokeFunction',
]);

function usedActions(): Set<string> {
  const files = globSync(['shared/**/*.ts', 'functions/**/*.ts'], { cwd: repository }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const commands = files.flatMap((file) =>
    [...readFileSync(join(repository, file), 'utf8').matchAll(/new (?:\w+\.)*([A-Z]\w+)Command\(/g)].map(
      ([, name = '']) => name,
    ),
  );
  return new Set(commands.flatMap((name) => (name in otherNames ? (otherNames[name] ?? []) : name)));
}

const listed = new Set(awsRights.flatMap(({ actions }) => actions.map((action) => action.split(':')[1] ?? '')));

describe('the list of rights in AWS', () => {
  it('is written into the page that is made from it: run `npm run generate`', () => {
    expect(readFileSync(awsRightsPage, 'utf8')).toBe(generatedAwsRightsPage());
  });

  it('has every statement once, with a reason', () => {
    const ids = awsRights.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, why, on, actions, functions } of awsRights) {
      expect(id).toMatch(/^[A-Z][A-Za-z0-9]+$/);
      expect(Math.min(why.length, on.length)).toBeGreaterThan(7);
      expect(Math.min(actions.length, functions.length)).toBeGreaterThan(0);
    }
  });

  it('covers every call that the code makes', () => {
    const used = usedActions();
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !listed.has(name))).toEqual([]);
  });

  it('holds nothing that the code never calls', () => {
    const used = usedActions();
    expect([...listed].filter((name) => !used.has(name) && !behindTheScenes.has(name))).toEqual([]);
  });
});
