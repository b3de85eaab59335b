/** Who we are at AWS, and where that is. */
import { defined } from '../../base/defined.ts';
import type { AwsConnection } from '../../platforms/aws/client-options.ts';
import { assumeRole, credentialsFrom } from '../../platforms/aws/credentials.ts';
import { atEndpoint } from '../../platforms/aws/endpoint.ts';
import type { ProviderContext } from '../context.ts';
import type { Ec2Options } from './options.ts';

export function connectionOf(
  options: Pick<Ec2Options, 'region' | 'endpoint' | 'roleArn' | 'externalId'>,
  context: Pick<ProviderContext, 'env' | 'clock' | 'cluster'>,
): AwsConnection {
  const { region, endpoint, roleArn, externalId } = options;
  const own = credentialsFrom(context.env);
  const connection: AwsConnection = {
    region,
    ...defined({ endpoint, credentials: own }),
  };
  if (roleArn === undefined) return connection;
  const sessionName = `poolwright-${context.cluster}`.slice(0, 64);
  const role = { roleArn, sessionName, ...defined({ externalId }) };
  return { ...connection, credentials: assumeRole(atEndpoint(connection, 'STS', context.env), role, context.clock) };
}
