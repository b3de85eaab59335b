/** The Parameter Store, as far as it is used. */
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { ReadStore } from './secrets.ts';

export const readParameter: ReadStore = async (options, Name) => {
  const client = new SSMClient(options);
  try {
    return (await client.send(new GetParameterCommand({ Name, WithDecryption: true }))).Parameter?.Value;
  } finally {
    client.destroy();
  }
};
