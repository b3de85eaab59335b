import { beforeEach, expect, it } from 'vitest';
import { forgetSecrets, redactSecrets } from '../base/secrets/known-secrets.ts';
import { rememberConfig, rememberEnvironment } from './remember-secrets.ts';

beforeEach(forgetSecrets);

const keptIn = (values: readonly string[]): string[] => values.filter((value) => redactSecrets(value) === value);

it('knows the secrets of an environment, and nothing that only says where one is', () => {
  const env = {
    SOME_TOKEN: 'fake-token-1',
    AZURE_CLIENT_SECRET: 'fake-secret-2',
    HTTPS_PROXY: 'http://user:fake-password-3@proxy.example:3128',
    Bus: 'Endpoint=sb://name.example/;SharedAccessKeyName=root;SharedAccessKey=fake-key-4',
  };
  const other = {
    AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/token',
    TOKEN_API_SERVICE_HOST: '10.96.100.12',
    TOKEN_API_PORT_8080_TCP: 'tcp://10.96.100.12:8080',
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    CLIENT_SECRET: '@Microsoft.KeyVault(SecretUri=https://vault.example)',
    API_TOKEN: 'ssm:/poolwright/token',
    GOOGLE_CREDENTIALS: '/etc/google/credentials.json',
    DEPLOYMENT: 'poolwright-production',
  };
  rememberEnvironment({ ...env, ...other, EMPTY_TOKEN: undefined });
  expect(keptIn(['fake-token-1', 'fake-secret-2', 'fake-password-3', 'fake-key-4'])).toEqual([]);
  expect(keptIn(Object.values(other))).toEqual(Object.values(other));
});

it('takes no ordinary word of an environment for a secret, whatever its variable is called', () => {
  const words = [
    'true',
    'disabled',
    'required',
    'default-namespace',
    'poolwright',
    'kube-system',
    '86400000',
    'PRODUCTION',
  ];
  rememberEnvironment(Object.fromEntries(words.map((word, index) => [`WORD_${index}_TOKEN`, word])));
  expect(keptIn(words)).toEqual(words);
  const secrets = ['hunter2-hunter2', 'correct-horse-battery-staple', 'Tr0ub4dor&3', 'aB3dE6gH', '0123456789abcdef'];
  rememberEnvironment(Object.fromEntries(secrets.map((secret, index) => [`SECRET_${index}_PASSWORD`, secret])));
  expect(keptIn(secrets)).toEqual([]);
});

it('knows the secrets of a configuration', () => {
  const line = 'FAKEfakeFAKEfakeFAKEfake';
  rememberConfig({
    clusters: {
      east: {
        token: 'fake-token-1',
        proxyUrl: 'http://user:fake-password-2@proxy.example',
        clientKey: `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----`,
        intake: { tokens: ['fake-intake-key-3'], pathSecretFiles: ['/etc/keys/of-intake'] },
      },
      west: { tokenFile: '/etc/keys/token', clientKey: '/etc/keys/client.key', maxInstances: 3 },
    },
  });
  expect(keptIn(['fake-token-1', 'fake-password-2', line, 'fake-intake-key-3'])).toEqual([]);
  const places = ['/etc/keys/of-intake', '/etc/keys/token', '/etc/keys/client.key'];
  expect(keptIn(places)).toEqual(places);
});
