/** The way to the workflow engine, which is the durable function of this deployment. */

import type { Environment } from '../../../shared/base/environment.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import type { LambdaApi } from '../../../shared/workflow/lambda-durable/api.ts';
import { LambdaWorkflowClient } from '../../../shared/workflow/lambda-durable/client.ts';
import { openLambdaApi } from '../../../shared/workflow/lambda-durable/http-api.ts';
import { workflows } from '../../orchestrators/workflows.ts';
import type { FunctionResources } from './function-resources.ts';
import { lambdaConnection } from './lambda-service.ts';

export interface AwsWorkflows {
  readonly client: LambdaWorkflowClient;
  /** For who looks into workflows, which only HTTP does: the others need not load what that takes. */
  readonly api: LambdaApi;
  close(): void;
}

interface Parts {
  resources: FunctionResources;
  env: Environment;
  state: State;
  clock: Clock;
}

export function openWorkflows({ resources, env, state, clock }: Parts): Result<AwsWorkflows> {
  const functionName = resources.of('workflowsFunction');
  if (!functionName.ok) return functionName;
  const qualifier = resources.of('workflowsAlias');
  if (!qualifier.ok) return qualifier;
  const api = openLambdaApi({
    ...lambdaConnection(resources.region, env),
    functionName: functionName.value,
    qualifier: qualifier.value,
  });
  const client = new LambdaWorkflowClient({ api, records: state, workflows, clock });
  return ok({
    client,
    api,
    close: () => api.close(),
  });
}
