/** All functions of the package on the stand-in for the Lambda service, each bundle in processes of its own as on the platform. */

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../shared/base/defined.ts';
import { type Bundle, bundle } from '../../stand-ins/lambda/bundle.ts';
import type { FunctionDefinition, LambdaFaults } from '../../stand-ins/lambda/contract.ts';
import { type LambdaStandIn, startLambda } from '../../stand-ins/lambda/start.ts';

export interface FunctionsOptions {
  /** dist/aws, or one like it. */
  folder: string;
  /** What every function finds in its environment. */
  env: Readonly<Record<string, string>>;
  /** Where executions are kept. */
  file?: string;
  faults?: LambdaFaults;
  onOutput?: (text: string) => void;
  /** Processes per function. */
  maxEnvironments?: number;
}

export interface Functions {
  readonly lambda: LambdaStandIn;
  /** Calls a function and gives its answer; a function that breaks throws here. */
  call(name: string, event: unknown): Promise<unknown>;
  /** kill -9 of every process of the functions named, or of all. */
  kill(...names: string[]): void;
  close(): Promise<void>;
}

/** As the template has it: `poolwright-<stage>-<function>`. */
export const prefix = 'poolwright-test-';

export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  const { folder, file, faults, onOutput, maxEnvironments = 4 } = options;
  const bundles = new Map<string, Bundle>();
  const lambda = await startLambda({
    ...defined({ file, faults }),
    concurrency: 20,
    // A failed turn is tried again after a while; tests have no such time.
    retryPauseMs: () => 200,
  });
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ...options.env,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    WORKFLOWS_FUNCTION: `${prefix}workflows`,
    WORKFLOWS_ALIAS: 'durable',
    STEPS_FUNCTION: `${prefix}steps`,
    PROVISION_FUNCTION_PREFIX: `${prefix}provision-`,
  };
  for (const found of globSync('*/index.mjs', { cwd: folder })) {
    const name = found.split('/')[0] ?? '';
    const made = bundle({
      file: join(folder, found),
      env: { ...env, AWS_LAMBDA_FUNCTION_NAME: `${prefix}${name}`, LAMBDA_TASK_ROOT: join(folder, name) },
      maxEnvironments,
      ...defined({ onOutput }),
    });
    bundles.set(name, made);
    const definition: FunctionDefinition = {
      run: made.run,
      timeoutSeconds: 60,
      ...(name === 'workflows' ? { durable: {} } : {}),
    };
    lambda.service.define(`${prefix}${name}`, definition);
  }
  return {
    lambda,
    async call(name, event) {
      const { payload, functionError } = await lambda.service.invoke({
        functionName: `${prefix}${name}`,
        type: 'RequestResponse',
        payload: JSON.stringify(event),
      });
      if (functionError !== undefined) throw new Error(`${name}: ${payload}`);
      return payload === '' ? undefined : JSON.parse(payload);
    },
    kill: (...names) => {
      for (const [name, made] of bundles) if (names.length === 0 || names.includes(name)) made.kill();
    },
    async close() {
      await Promise.all([...bundles.values()].map((one) => one.close()));
      await lambda.close();
    },
  };
}
