/** Clocks that disagree make tokens invalid and deadlines wrong. */

import type { Check } from '../../../shared/base/checks.ts';
import { defined } from '../../../shared/base/defined.ts';
import { formatSeconds } from '../../../shared/base/durations.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { configuredAccess } from '../../../shared/kube/access/configured-access.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';
import { kubeconfigFile } from '../../reach/cluster-access.ts';
import { version } from '../../version.ts';
import { notChecked } from './looks.ts';
import type { Patient } from './patient.ts';

/** Headers count in whole seconds, and answers travel. */
const warnSeconds = 30;
/** Clouds refuse what was signed so long ago. */
const failSeconds = 300;

export async function hostClock(patient: Patient): Promise<Check[]> {
  const { now, receivedAt } = await patient.findings();
  return [judgeClock('clock of the host', 'the host', Date.parse(now), receivedAt)];
}

/** Without credentials: also a refusal carries the time. */
export async function clusterClock({ options }: Patient): Promise<Check[]> {
  const name = 'clock of the API server';
  const found = await configuredAccess(
    { kubeconfig: kubeconfigFile(options), context: options.context },
    { env: process.env, clock: systemClock },
  );
  if (!found.ok) return [notChecked(name, found.error.message)];
  const { url, ca, skipTlsVerify, proxyUrl } = found.value.access;
  const client = createHttpClient({
    baseUrl: url,
    userAgent: `poolwright/${version}`,
    ...defined({ proxy: proxyUrl }),
    ...(skipTlsVerify ? { tls: () => ({ insecure: true }) } : ca === undefined ? {} : { ca }),
  });
  try {
    const answer = await client.request({ method: 'GET', path: '/version', timeoutMs: 8000 });
    if (!answer.ok) return [notChecked(name, answer.message)];
    return [judgeClock(name, 'the API server', Date.parse(answer.headers.date ?? ''), systemClock.now())];
  } finally {
    client.close();
  }
}

export function judgeClock(name: string, whose: string, theirs: number, ours: number): Check {
  if (Number.isNaN(theirs)) return notChecked(name, `${whose} does not report its time`);
  const seconds = Math.round(Math.abs(theirs - ours) / 1000);
  if (seconds < warnSeconds) return { name, state: 'pass', message: `${whose} and this machine agree` };
  const direction = theirs > ours ? 'ahead of' : 'behind';
  return {
    name,
    state: seconds < failSeconds ? 'warn' : 'fail',
    message: `${whose} is ${formatSeconds(seconds)} ${direction} this machine`,
    code: 'ClockSkew',
    repair: 'synchronize both clocks (NTP): timedatectl set-ntp true',
  };
}
