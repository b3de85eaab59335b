import { describe, expect, it } from 'vitest';
import { resourceOf } from './resource.ts';
import { chooseTarget, readHeaders } from './target.ts';

const everySeconds = 60;
const chosen = (settings: Parameters<typeof chooseTarget>[0], env: Record<string, string> = {}) => {
  const choice = chooseTarget(settings, env);
  return choice.push ? choice.target : choice;
};

describe('where metrics are pushed to', () => {
  it('is nowhere unless somebody says so', () => {
    expect(chosen({ everySeconds })).toEqual({ push: false });
  });

  it.each([
    ['http://collector:4318', 'http://collector:4318/v1/metrics'],
    ['http://collector:4318/', 'http://collector:4318/v1/metrics'],
    ['https://otlp.example/api/v1/metrics', 'https://otlp.example/api/v1/metrics'],
  ])('is below %s as the configuration says', (endpoint, url) => {
    expect(chosen({ endpoint, everySeconds }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' })).toMatchObject({ url });
  });

  it('is below the common endpoint of OpenTelemetry, or at the one for metrics', () => {
    const common = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' };
    expect(chosen({ everySeconds }, common)).toMatchObject({ url: 'http://c:4318/v1/metrics', headers: 'a=b' });
    const own = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/push', OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'c=d' };
    expect(chosen({ everySeconds }, { ...common, ...own })).toMatchObject({ url: 'http://m/push', headers: 'c=d' });
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_METRICS_EXPORTER: 'none' }])('is nowhere with %o', (env) => {
    expect(chosen({ everySeconds }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', ...env })).toEqual({ push: false });
  });

  it('is what the configuration says, whatever the variables of OpenTelemetry say, and gets no secret from them', () => {
    const env = { OTEL_SDK_DISABLED: 'true', OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_HEADERS: 'a=hunter2' };
    const target = chosen({ endpoint: 'http://own:4318', everySeconds }, env);
    expect(target).toEqual({ url: 'http://own:4318/v1/metrics', everySeconds });
  });

  it.each([
    ['a port for gRPC', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'only OTLP over HTTP'],
    ['no URL', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'collector:4318' }, 'METRICS_ENDPOINT must be'],
    ['headers that are none', { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }, 'name=value'],
    ['a reference that leads nowhere', { OTEL_EXPORTER_OTLP_HEADERS: '@Microsoft.KeyVault(x)' }, 'Key Vault'],
  ])('is said to be wrong with %s, and no secret with it', (_, env, words) => {
    const choice = chooseTarget({ everySeconds }, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', ...env });
    expect(choice).toMatchObject({ push: false, problem: expect.stringContaining(words) });
    expect(JSON.stringify(choice)).not.toContain('hunter2');
  });
});

describe('headers', () => {
  it('are read as the standard writes them', () => {
    expect(readHeaders('Authorization=Basic%20YTpi, x-team = a=b ,')).toEqual({
      authorization: 'Basic YTpi',
      'x-team': 'a=b',
    });
  });

  it.each(['=x', 'a b=c', 'a=%zz', 'a=%0d%0aevil: 1', 'nothing'])('are refused as %j', (text) => {
    expect(readHeaders(text)).toBeUndefined();
  });
});

describe('who counts', () => {
  const facts = { deployment: 'office', version: '1', instance: 'i' };

  it('is the function on Lambda and on Azure', () => {
    expect(resourceOf(facts, { AWS_LAMBDA_FUNCTION_NAME: 'steps', AWS_REGION: 'eu-west-1' })).toEqual({
      'service.name': 'poolwright',
      'service.version': '1',
      'service.instance.id': 'i',
      'poolwright.deployment': 'office',
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_lambda',
      'cloud.region': 'eu-west-1',
      'faas.name': 'steps',
    });
    const azure = resourceOf(facts, { WEBSITE_SITE_NAME: 'app', FUNCTIONS_WORKER_RUNTIME: 'node' });
    expect(azure).toMatchObject({ 'faas.name': 'app', 'cloud.provider': 'azure' });
  });

  it('is what the variables of OpenTelemetry say', () => {
    const env = { OTEL_SERVICE_NAME: 'pw', OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b,bad,worse=%zz' };
    expect(resourceOf(facts, env)).toMatchObject({ 'service.name': 'pw', team: 'a b' });
  });
});
