import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { readEc2Options } from './options.ts';

const problem = (options: Json, env: Record<string, string> = {}): string => {
  const read = readEc2Options(options, env);
  return read.ok ? '' : read.error.message;
};
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

describe('the options of ec2', () => {
  test('need a region and a cluster, from the configuration or the environment', () => {
    expect(problem({})).toBe(
      'options.region: is missing; set it, or AWS_REGION; options.clusterName: is missing; set it, or EKS_CLUSTER_NAME',
    );
    const read = readEc2Options({}, { AWS_REGION: 'eu-west-1', EKS_CLUSTER_NAME: 'east' });
    expect(read).toMatchObject({ ok: true, value: { region: 'eu-west-1', clusterName: 'east', prices: true } });
    const given = readEc2Options({ region: 'eu-north-1', clusterName: 'b' }, { AWS_REGION: 'eu-west-1' });
    expect(given).toMatchObject({ value: { region: 'eu-north-1', clusterName: 'b' } });
  });

  test('serve EC2NodeClasses only when somebody said so', () => {
    const read = readEc2Options({ region: 'eu-west-1', clusterName: 'a' }, {});
    expect(read.ok && read.value.serveEc2NodeClasses).toBe(false);
  });

  test('tell every mistake at once, with the field', () => {
    const text = problem({
      region: 'eu-west-1a',
      clusterName: 'a b',
      endpoint: 'ftp://x',
      roleArn: 'admin',
      kubernetesVersion: 'v1.34.2',
      serviceCidr: 'ten',
    });
    for (const field of ['region', 'clusterName', 'endpoint', 'roleArn', 'kubernetesVersion', 'serviceCidr']) {
      expect(text).toContain(`options.${field}: must be`);
    }
    expect(text).toContain('eu-west-1a is a zone');
  });

  test('refuse a field that there is not, and an external id without a role', () => {
    expect(problem({ regoin: 'x' })).toContain('regoin');
    expect(problem({ region: 'eu-west-1', clusterName: 'a', externalId: 'xx' })).toContain('set roleArn');
  });

  test('refuse a rate for an action that is never called, and know one by the name that a variable can write', () => {
    const withRates = (action: string) =>
      problem({ region: 'eu-west-1', clusterName: 'a', requestRates: { [action]: { burst: 1, perSecond: 1 } } });
    expect(withRates('CreateFleat')).toContain('options.requestRates.CreateFleat: is not an EC2 action');
    expect(withRates('CreateFleet')).toBe('');
    expect(withRates('create-fleet')).toBe('');
  });

  test('take an authority as PEM and as base64 of it, and never show it', () => {
    const base = { region: 'eu-west-1', clusterName: 'a' };
    const coded = Buffer.from(pem).toString('base64');
    for (const clusterCA of [pem, coded]) {
      expect(readEc2Options({ ...base, clusterCA }, {})).toMatchObject({ value: { clusterCA: coded } });
    }
    expect(problem({ ...base, clusterCA: 'nonsense' })).toBe(
      'options.clusterCA: must be the PEM of a certificate, or base64 of it; found something else',
    );
  });
});
