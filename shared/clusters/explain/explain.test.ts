import { describe, expect, it } from 'vitest';
import { errors } from '../../observe/errors/catalog.ts';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import { checkRequest } from '../rules/validate.ts';
import { diagnosisLines, explain } from './explain.ts';
import type { SeenRequest } from './seen-request.ts';

const now = Date.parse('2026-09-01T12:00:00Z');
const began = '2026-09-01T11:50:00Z';

const request = (
  status: SeenRequest['status'] | undefined,
  spec: object = { location: 'westeurope' },
  metadata: Partial<SeenRequest['metadata']> = {},
): SeenRequest => ({
  metadata: { name: 'web', namespace: 'team-a', generation: 1, creationTimestamp: began, ...metadata },
  spec,
  ...(status === undefined ? {} : { status }),
});
const condition = (type: string, status: 'True' | 'False', reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: began,
});
const failedAt = (name: string, code: string, message: string) =>
  request({ stages: [{ name, state: 'Failed', startedAt: began, code, message }] });

describe('the first three lines', () => {
  it.each([
    [
      'quota',
      failedAt('ManagedCluster', 'VcpuQuotaTooSmall', '2 free, 8 needed'),
      'VcpuQuotaTooSmall',
      /2 free, 8 needed/,
      /higher quota/,
    ],
    [
      'SKU',
      failedAt('ManagedCluster', 'VmSizeUnavailable', 'Standard_X1'),
      'VmSizeUnavailable',
      /Standard_X1/,
      /list-skus/,
    ],
    [
      'version',
      failedAt('ManagedCluster', 'KubernetesVersionUnsupported', '1.20'),
      'KubernetesVersionUnsupported',
      /1\.20/,
      /version/,
    ],
    ['name', failedAt('ResourceGroup', 'AzureNameRefused', 'login-1'), 'AzureNameRefused', /login-1/, /another name/],
    [
      'policy',
      failedAt('ResourceGroup', 'AzurePolicyDenied', 'tag costs'),
      'AzurePolicyDenied',
      /tag costs/,
      /exemption/,
    ],
    [
      'permission',
      failedAt('Identity', 'AzurePermissionMissing', 'roleAssignments/write'),
      'AzurePermissionMissing',
      /roleAssignments/,
      /role/,
    ],
    [
      'not ours',
      request({ conditions: [condition('Owned', 'False', 'ClusterNotOurs', 'rg-web exists')] }),
      'ClusterNotOurs',
      /rg-web exists/,
      /another name/,
    ],
    [
      'no operator',
      request({ conditions: [condition('Preflighted', 'False', 'AsoNotInstalled', 'ManagedCluster')] }),
      'AsoNotInstalled',
      /ManagedCluster/,
      /crdPattern/,
    ],
    [
      'credential',
      request({
        stages: [
          {
            name: 'ResourceGroup',
            state: 'Waiting',
            startedAt: began,
            code: 'AsoCredentialMissing',
            message: 'none in team-a',
          },
        ],
      }),
      'AsoCredentialMissing',
      /waiting for 10m: none in team-a/,
      /aso-credential/,
    ],
    [
      'owner',
      request({
        stages: [
          { name: 'ManagedCluster', state: 'Waiting', startedAt: began, code: 'WaitingForOwner', message: 'rg-web' },
        ],
      }),
      'WaitingForOwner',
      /rg-web/,
      /owner/,
    ],
    [
      'delete guard',
      request(undefined, { location: 'westeurope', deleteGuard: true }, { deletionTimestamp: began }),
      'DeleteGuarded',
      /delete guard/,
      /deleteGuard/,
    ],
  ])('name code, cause and fix: %s', (_name, seen, code, cause, fix) => {
    const lines = diagnosisLines(seen, explain(seen, { now }));
    expect(lines[0]).toContain(code);
    expect(lines[1]).toMatch(cause);
    expect(lines[2]).toMatch(fix);
    expect(errors).toHaveProperty(code);
  });

  it('translate a code of Azure, and keep its numbers', () => {
    const said =
      'Insufficient vcpu quota requested 8, remaining 2 for family standardDSv5Family for region westeurope.';
    const seen = failedAt('ManagedCluster', 'ErrCode_InsufficientVCPUQuota', said);
    const [state, cause, fix] = diagnosisLines(seen, explain(seen, { now }));
    expect(state).toBe('team-a/web  VcpuQuotaTooSmall at ManagedCluster');
    expect(cause).toContain('standardDSv5Family in westeurope has 2 free, and 8 are needed');
    expect(fix).toMatch(/higher quota for westeurope/);
  });

  it('name the field where the request itself is wrong', () => {
    const object = {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', kubernetesVersion: '1.20' },
    };
    const { findings } = checkRequest(object, { types: builtInPoolTypes, today: '2026-09-01' });
    const seen = request(
      { conditions: [condition('Validated', 'False', 'KubernetesVersionUnsupported')] },
      object.spec,
    );
    const diagnosis = explain(seen, { now, findings });
    expect(diagnosis).toMatchObject({ code: 'KubernetesVersionUnsupported', field: 'spec.kubernetesVersion' });
    expect(diagnosis.fix).toMatch(/1\.35/);
  });
});

describe('a request for which nothing happens, because a user wants it so', () => {
  const stages = [{ name: 'ManagedCluster', state: 'Running', startedAt: began }];
  const aside = (reason: string, message: string, more: SeenRequest['status'] = {}) =>
    request({ observedGeneration: 1, conditions: [condition('Ready', 'False', reason, message)], ...more });
  it.each([
    ['DryRun', aside('DryRun', 'only planned'), /only planned/, /spec\.dryRun/],
    ['Cancelled', aside('Cancelled', 'stopped', { stages }), /stopped/, /clusters retry web -n team-a/],
    ['CarriedOutElsewhere', aside('CarriedOutElsewhere', 'by kro', { stages }), /by kro/, /--phase adopt/],
    ['Paused', aside('Paused', 'cluster m is paused'), /cluster m is paused/, /resume cluster/],
    [
      'Paused',
      request({
        conditions: [condition('Ready', 'False', 'Provisioning')],
        stages: [
          {
            name: 'ManagedCluster',
            state: 'Waiting',
            startedAt: began,
            code: 'Paused',
            message: 'cluster m is paused',
          },
        ],
      }),
      /cluster m is paused/,
      /resume cluster/,
    ],
  ])('is %s, whatever its stages say', (state, seen, cause, fix) => {
    const diagnosis = explain(seen, { now });
    expect(diagnosis).toMatchObject({ well: true, aside: state });
    const lines = diagnosisLines(seen, diagnosis);
    expect(lines[0]).toBe(`team-a/web  ${state}`);
    expect(lines[1]).toMatch(cause);
    expect(lines[2]).toMatch(fix);
  });

  it('but not one that was changed after its dry run', () => {
    const seen = request(
      { observedGeneration: 1, conditions: [condition('Ready', 'False', 'DryRun')] },
      {},
      { generation: 2 },
    );
    expect(explain(seen, { now }).aside).toBeUndefined();
  });
});

describe('a deletion', () => {
  const deleted = (reason: string, message: string) =>
    request(
      {
        stages: [{ name: 'GitOps', state: 'Succeeded', startedAt: began }],
        conditions: [condition('Deleting', 'True', reason, message)],
      },
      {},
      { deletionTimestamp: began },
    );

  it('says what it waits for', () => {
    const diagnosis = explain(deleted('Removing', 'It waits for ManagedCluster web to be gone.'), { now });
    expect(diagnosis).toMatchObject({ well: true });
    expect(diagnosis.cause).toBe('the cluster is being deleted for 10m: it waits for ManagedCluster web to be gone');
  });

  it('that Azure refuses has its code, cause and fix', () => {
    const message = 'It waits for ResourceGroup rg-web to be gone (ScopeLocked: the scope is locked).';
    const seen = deleted('ScopeLocked', message);
    const [state, cause, fix] = diagnosisLines(seen, explain(seen, { now }));
    expect(state).toBe('team-a/web  AzureScopeLocked');
    expect(cause).toContain('rg-web to be gone (ScopeLocked: the scope is locked)');
    expect(fix).toMatch(/lock/);
  });
});

describe('a request that is well', () => {
  it('is ready', () => {
    const seen = request({ conditions: [condition('Ready', 'True', 'Ready')], cluster: { fqdn: 'web.example' } });
    expect(explain(seen, { now })).toMatchObject({ well: true, cause: expect.stringContaining('web.example') });
  });

  it('is on its way, with how long and what it waits for', () => {
    const seen = request({
      stages: [{ name: 'ManagedCluster', state: 'Running', startedAt: began, waitingFor: 'the cluster to be Ready' }],
    });
    const diagnosis = explain(seen, { now });
    expect(diagnosis).toMatchObject({ well: true, stage: 'ManagedCluster' });
    expect(diagnosis.cause).toBe(
      'nothing is wrong: ManagedCluster is under way for 10m, waiting for the cluster to be Ready',
    );
  });

  it('has drifted: that is no error, and still something to know', () => {
    const seen = request({
      conditions: [
        condition('Ready', 'True', 'Ready'),
        condition('Drifted', 'True', 'Drifted', 'spec.tier: Free, live Standard'),
      ],
    });
    expect(explain(seen, { now }).cause).toContain('spec.tier: Free, live Standard');
  });

  it('that nobody has begun says so, and after two minutes what to check', () => {
    expect(explain(request(undefined, {}, { creationTimestamp: '2026-09-01T11:59:30Z' }), { now })).toMatchObject({
      well: true,
    });
    expect(explain(request(undefined), { now }).fix).toMatch(/doctor/);
  });
});

it('whatever is in the object, there is an answer', () => {
  for (const spec of [undefined, null, 1, 'x', [], {}]) {
    for (const status of [undefined, {}, { conditions: [] }, { stages: [{ name: 'X', state: 'Odd' }] }]) {
      const diagnosis = explain(request(status, spec as object), { now });
      expect(diagnosis.cause).not.toBe('');
      expect(diagnosis.fix).not.toBe('');
    }
  }
});
