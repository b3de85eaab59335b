/** What the workflow function works with: the mailbox in the state, and the functions that do the steps. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../../shared/base/environment.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { openDynamoDbState } from '../../../shared/state/dynamodb/state.ts';
import type { DurableHandlerOptions } from '../../../shared/workflow/lambda-durable/handler.ts';
import { resourcesFrom } from './function-resources.ts';
import { lambdaInvoke } from './lambda-service.ts';
import { providerTypes } from './provider-types.ts';
import { stepRunner } from './step-functions.ts';

/** Above the time limit of the functions that are called: their answer must not be lost for our impatience. */
const answerMs = 150_000;

export function openEngine(env: Environment): Result<Pick<DurableHandlerOptions, 'runActivity' | 'records' | 'clock'>> {
  const resources = resourcesFrom(env);
  if (!resources.ok) return resources;
  const { region, of } = resources.value;
  const [table, steps, prefix] = [of('stateTable'), of('stepsFunction'), of('provisionFunctionPrefix')];
  if (!table.ok) return table;
  if (!steps.ok) return steps;
  if (!prefix.ok) return prefix;
  const connection = { region };
  const typeOf = providerTypes(env);
  const functions = {
    steps: steps.value,
    provision: (type: string) => `${prefix.value}${type}`,
    typeOf,
  };
  const invoke = lambdaInvoke(region, env, answerMs);
  return ok({
    runActivity: stepRunner(functions, invoke, (milliseconds) => pause(milliseconds)),
    records: openDynamoDbState({ connection, table: table.value, clock: systemClock, ids: systemIds }),
    clock: systemClock,
  });
}
