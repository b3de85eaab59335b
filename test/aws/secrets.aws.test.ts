/** The same as with AWS: secrets and parameters that somebody put there by the real clients. */
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';
import { useMoto } from './use-stand-ins.ts';

const moto = useMoto();

it('reads secrets by name, ARN and key, and parameters that are encrypted', async () => {
  const connection = moto.connection();
  const manager = new SecretsManagerClient(clientOptions(connection));
  const store = new SSMClient(clientOptions(connection));
  const { ARN } = await manager.send(
    new CreateSecretCommand({ Name: 'pool/dev', SecretString: '{"token":"of the cluster"}' }),
  );
  await store.send(new PutParameterCommand({ Name: '/pool/dev', Type: 'SecureString', Value: 'of the parameter' }));
  const secrets = openSecrets({ connection, clock: manualClock() });
  expect(await secrets.read('secretsmanager:pool/dev#token')).toEqual({ ok: true, value: 'of the cluster' });
  expect(await secrets.read(`${ARN}#token`)).toEqual({ ok: true, value: 'of the cluster' });
  expect(await secrets.read('ssm:/pool/dev')).toEqual({ ok: true, value: 'of the parameter' });
  expect(await secrets.read('ssm:/pool/nothing')).toMatchObject({ ok: false, error: { kind: 'not-found' } });
  expect(await secrets.read('secretsmanager:nothing')).toMatchObject({ ok: false, error: { kind: 'not-found' } });
  manager.destroy();
  store.destroy();
});
