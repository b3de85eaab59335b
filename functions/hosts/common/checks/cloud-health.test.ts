import { expect, it } from 'vitest';
import { manualClock } from '../../../../shared/base/runtime.ts';
import { createMetrics } from '../../../../shared/observe/metrics.ts';
import { testContext } from '../../../../test/stand-ins/provider-context.ts';
import { cloudChecks, cloudReports } from './cloud-health.ts';

it('keeps that a cloud does not answer, where another process finds it, until it answers again', async () => {
  const clock = manualClock();
  const { state } = testContext({ clock });
  const metrics = createMetrics();
  const reports = cloudReports({ cluster: 'a', metrics, state, clock });

  reports.answers(undefined);
  expect(await cloudChecks(state)).toEqual({});
  reports.answers('no answer from https://cloud.example');
  await expect
    .poll(() => cloudChecks(state))
    .toEqual({
      'cloudstack of cluster a': { ok: false, message: 'no answer from https://cloud.example' },
    });
  expect((await metrics.expose()).text).toContain('poolwright_cloudstack_up{cluster="a"} 0');
  reports.answers(undefined);
  await expect.poll(() => cloudChecks(state)).toEqual({});
});

it('counts calls, failures, VMs and look-ups by cluster', async () => {
  const clock = manualClock();
  const metrics = createMetrics();
  const reports = cloudReports({ cluster: 'a', metrics, state: testContext({ clock }).state, clock });

  reports.called('deployVirtualMachine');
  reports.called('deployVirtualMachine', '533');
  reports.created(12);
  reports.deleted();
  reports.lookedUp(true);
  reports.lookedUp(false);

  const { text } = await metrics.expose();
  for (const line of [
    'poolwright_cloudstack_api_calls_total{cluster="a",command="deployVirtualMachine"} 2',
    'poolwright_cloudstack_api_errors_total{cluster="a",command="deployVirtualMachine",code="533"} 1',
    'poolwright_cloudstack_vms_created_total{cluster="a"} 1',
    'poolwright_cloudstack_provision_duration_seconds_sum{cluster="a"} 12',
    'poolwright_cloudstack_vms_deleted_total{cluster="a"} 1',
    'poolwright_cloudstack_cache_hits_total{cluster="a"} 1',
    'poolwright_cloudstack_cache_misses_total{cluster="a"} 1',
  ]) {
    expect(text).toContain(line);
  }
});
