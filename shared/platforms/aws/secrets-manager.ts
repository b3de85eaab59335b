/** Secrets Manager, as far as it is used. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ReadStore } from './secrets.ts';

export const readSecret: ReadStore = async (options, SecretId) => {
  const client = new SecretsManagerClient(options);
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  } finally {
    client.destroy();
  }
};
