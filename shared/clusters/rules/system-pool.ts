/** The system pool: what AKS refuses, and what its documentation advises against. */
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';
import { warnOfRetirement } from './node-pool.ts';

const field = 'spec.systemPool';
/** Sizes with one core. */
const tooSmall = /^Standard_(A[01](_v2)?|B1[a-z]*|D1(_v2)?|DS1(_v2)?|F1s?)$/i;
const burstable = /^Standard_B/i;
const twoCores = /^Standard_[A-Z]{1,3}2[a-z]*(_v\d+)?$/;

export function checkSystemPool({ systemPool }: Pick<Resolved, 'systemPool'>, report: Report): void {
  const { vmSize, count } = systemPool;
  const at = `${field}.vmSize`;
  const fix = 'use Standard_D4s_v5 or larger';
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(vmSize)) {
    report('error', 'SystemPoolTooSmall', at, 'it is not the name of a VM size', fix);
  } else if (tooSmall.test(vmSize)) {
    report(
      'error',
      'SystemPoolTooSmall',
      at,
      `AKS refuses ${vmSize} for system nodes: they need 2 cores and 4 GB`,
      fix,
    );
  } else if (burstable.test(vmSize)) {
    const cause = `AKS does not support burstable sizes such as ${vmSize} for system nodes, even if it accepts them`;
    report('warning', 'SystemPoolTooSmall', at, cause, fix);
  } else if (twoCores.test(vmSize)) {
    report('warning', 'SystemPoolTooSmall', at, `${vmSize} has 2 cores, and AKS advises 4 for system nodes`, fix);
  }
  warnOfRetirement(vmSize, at, report);
  if (count < 2) {
    const cause = 'with one system node, the cluster has no DNS while that node is replaced';
    report('warning', 'SystemPoolTooSmall', `${field}.count`, cause, 'use 2 at least; AKS advises 3');
  }
}
