/** The Lambda service, as this function may ask it. */
import type { Environment } from '../../../shared/base/environment.ts';
import { credentialsFrom } from '../../../shared/platforms/aws/credentials.ts';
import { atEndpoint } from '../../../shared/platforms/aws/endpoint.ts';
import { invokeFunction } from '../../../shared/workflow/lambda-durable/invoke.ts';
import { type LambdaConnection, SignedLambda } from '../../../shared/workflow/lambda-durable/signed-http.ts';
import type { Invoke } from './step-functions.ts';

export const lambdaConnection = (region: string, env: Environment): LambdaConnection => ({
  // Not by the SDK, which would look at these variables by itself.
  ...atEndpoint({ region }, 'lambda', env),
  // The platform puts those of the function's role into its environment.
  credentials: async () => {
    const keys = credentialsFrom(env);
    if (!keys) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; Lambda sets them');
    return keys;
  },
});

export function lambdaInvoke(region: string, env: Environment, timeoutMs: number): Invoke {
  const lambda = new SignedLambda({ ...lambdaConnection(region, env), timeoutMs });
  return (functionName, payload) => invokeFunction(lambda, functionName, payload);
}
