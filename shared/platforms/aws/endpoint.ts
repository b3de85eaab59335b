/** Where a service is, when not at AWS: as the connection says, or else as the variables say that the SDKs know too. */
import type { AwsConnection } from './client-options.ts';

/** @param service As its variable names it: `AWS_ENDPOINT_URL_EC2`. */
export function atEndpoint(
  connection: AwsConnection,
  service: string,
  env: Readonly<Record<string, string | undefined>>,
): AwsConnection {
  if (connection.endpoint !== undefined) return connection;
  const endpoint = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env.AWS_ENDPOINT_URL || undefined;
  return endpoint === undefined ? connection : { ...connection, endpoint };
}
