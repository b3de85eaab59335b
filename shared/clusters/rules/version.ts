/** The Kubernetes version: how it is written, and whether AKS supports it. */
import { quoteInput } from '../../base/problems.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from './finding.ts';
import { minorNumber, type OfferedVersions } from './offered-versions.ts';

const pattern = /^1\.(0|[1-9]\d{0,3})(\.(0|[1-9]\d{0,3}))?$/;
const field = 'spec.kubernetesVersion';

/** @param today As a date, such as 2026-08-31. */
export function checkVersion(resolved: Resolved, offered: OfferedVersions, today: string, report: Report): void {
  checkSupportPlan(resolved, report);
  const version = resolved.kubernetesVersion;
  if (version === undefined) return;
  if (!pattern.test(version)) {
    const without = version.replace(/^v/, '');
    const fix = pattern.test(without) ? `write ${without}` : 'write a version such as "1.35" or "1.35.2", in quotes';
    report('error', 'KubernetesVersionInvalid', field, `${quoteInput(version)} is not a version of Kubernetes`, fix);
    return;
  }
  const minor = version.split('.').slice(0, 2).join('.');
  const supported = offered.versions.filter((one) => today <= (endOf(one, resolved) ?? ''));
  const list = supported.map((one) => one.minor).join(', ');
  const use = list === '' ? 'ask Azure: az aks get-versions' : `use one of ${list}`;
  const known = offered.versions.find((one) => one.minor === minor);
  if (known !== undefined) {
    const end = endOf(known, resolved);
    if (end === undefined) {
      const cause = `AKS no longer supports ${minor} with the support plan ${resolved.supportPlan}`;
      report('error', 'KubernetesVersionUnsupported', field, cause, use);
    } else if (today > end) {
      report('error', 'KubernetesVersionUnsupported', field, `the support of ${minor} by AKS ended on ${end}`, use);
    } else if (daysBetween(today, end) < 60) {
      report('warning', 'KubernetesVersionUnsupported', field, `the support of ${minor} by AKS ends on ${end}`, use);
    }
    return;
  }
  if (offered.complete) {
    const cause = `AKS does not offer ${minor} in ${offered.asOf}`;
    report('error', 'KubernetesVersionUnsupported', field, cause, `${use}, or remove the field`);
    return;
  }
  const numbers = offered.versions.map((one) => minorNumber(one.minor));
  if (minorNumber(minor) < Math.min(...numbers)) {
    report('error', 'KubernetesVersionUnsupported', field, `AKS no longer supports ${minor}`, use);
  } else {
    const cause = `${minor} is not among the versions of AKS as of ${offered.asOf}`;
    const fix = `check that AKS has it in ${resolved.location} (az aks get-versions), or ${use}`;
    report('warning', 'KubernetesVersionUnsupported', field, cause, fix);
  }
}

function endOf(one: OfferedVersions['versions'][number], { supportPlan }: Resolved): string | undefined {
  return supportPlan === 'AKSLongTermSupport' ? (one.longTermEnds ?? one.ends) : one.ends;
}

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

function checkSupportPlan({ supportPlan, tier }: Resolved, report: Report): void {
  if (supportPlan !== 'AKSLongTermSupport' || tier === 'Premium') return;
  const cause = `long-term support needs the tier Premium, and the tier is ${tier}`;
  report('error', 'TierInvalid', 'spec.tier', cause, 'set tier: Premium, or remove supportPlan');
}
