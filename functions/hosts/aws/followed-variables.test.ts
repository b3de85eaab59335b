import { expect, it } from 'vitest';
import { failed, ok } from '../../../shared/base/result.ts';
import { followVariables } from './followed-variables.ts';
import type { ReadReference } from './references.ts';

const read: ReadReference = async (reference) =>
  reference === 'ssm:/missing' ? failed('not-found', `there is no ${reference}`) : ok(`secret of ${reference}\n`);

async function follow(env: Record<string, string>) {
  const problems: string[] = [];
  const followed = await followVariables(env, read, (problem) => problems.push(problem));
  return { followed, problems };
}

it('puts the secret where a variable names it, alone or in a list', async () => {
  const { followed, problems } = await follow({
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'ssm:/new, plain, secretsmanager:old#key',
    POOLWRIGHT_CLUSTERS_EAST_1_INTAKE_PATH_SECRETS: 'ssm:/path',
    POOLWRIGHT_HTTP_CALLERS_ON_CALL_TOKENS: 'ssm:/on-call',
    POOLWRIGHT_METRICS_OTLP_HEADERS: 'ssm:/collector',
    OTEL_EXPORTER_OTLP_HEADERS: 'ssm:/otel',
    AZURE_CLIENT_SECRET: 'ssm:/azure',
    AZURE_EDGE_SECRET: 'ssm:/edge',
    AZURE_TENANT_ID: 'a tenant, and no secret',
  });
  expect(followed).toEqual({
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'secret of ssm:/new,plain,secret of secretsmanager:old#key',
    POOLWRIGHT_CLUSTERS_EAST_1_INTAKE_PATH_SECRETS: 'secret of ssm:/path',
    POOLWRIGHT_HTTP_CALLERS_ON_CALL_TOKENS: 'secret of ssm:/on-call',
    POOLWRIGHT_METRICS_OTLP_HEADERS: 'secret of ssm:/collector',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret of ssm:/otel',
    AZURE_CLIENT_SECRET: 'secret of ssm:/azure',
    AZURE_EDGE_SECRET: 'secret of ssm:/edge',
    AZURE_TENANT_ID: 'a tenant, and no secret',
  });
  expect(problems).toEqual([]);
});

it('leaves alone what is followed when it is used, and what is no reference', async () => {
  const env = {
    POOLWRIGHT_HTTP_TOKEN: 'ssm:/token',
    POOLWRIGHT_CLUSTERS_EAST_TOKEN: 'ssm:/east',
    POOLWRIGHT_CONFIG_PARAMETER: 'ssm:/config',
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'a-plain-token-of-sixteen',
  };
  expect((await follow(env)).followed).toEqual(env);
});

it('leaves out one that cannot be read, says so, and keeps the others', async () => {
  const { followed, problems } = await follow({
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'ssm:/missing,ssm:/new',
    POOLWRIGHT_CLUSTERS_WEST_INTAKE_TOKENS: 'ssm:/missing',
  });
  expect(followed).toEqual({
    POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: 'secret of ssm:/new',
    POOLWRIGHT_CLUSTERS_WEST_INTAKE_TOKENS: undefined,
  });
  expect(problems).toEqual([
    'POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: there is no ssm:/missing',
    'POOLWRIGHT_CLUSTERS_WEST_INTAKE_TOKENS: there is no ssm:/missing',
  ]);
});
