/**
 * Whether a cluster can leave KRO, and what its request would be: everything is read, and the manifests are applied in a dry run, so that the
 * API server itself says what would be stored. Nothing is written.
 */

import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { resourceOf } from '../manifests/resources.ts';
import { planRequest } from '../plan/plan.ts';
import type { ClusterRequest } from '../request/request.ts';
import { requestUidIn } from '../resolved/marks.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { compareObjects, type Difference } from './compare/compare.ts';
import { extractRequest } from './extract/extract.ts';
import { finding, findingsOfState } from './findings.ts';
import { type Child, deletesDefinitions, type Instance, readChildren, readObject } from './kro/read.ts';
import { describe } from './kro/state.ts';
import { type MigrationParts, today } from './parts.ts';

export interface ObjectReport {
  object: string;
  apiVersion: string;
  /** `keep`: the request has no place for it; it stays, and belongs to no one. */
  action: 'take-over' | 'create' | 'keep';
  differences: readonly Difference[];
  /** Fields that stay as they are, and that the request does not say. */
  kept: readonly string[];
}

export interface Assessment {
  instance: Instance;
  children: readonly Child[];
  request?: ClusterRequest;
  manifests: readonly Manifest[];
  /** What is applied in the new cluster later, as `NodePool/web-nodepool`. */
  inNewCluster: readonly string[];
  objects: readonly ObjectReport[];
  findings: readonly Finding[];
}

export interface AssessOptions {
  /** Of a request that exists already. */
  uid?: string;
  /** Changes that Azure makes in place are wanted. */
  acceptChanges: boolean;
}

export async function assess(
  parts: MigrationParts,
  instance: Instance,
  options: AssessOptions,
  signal: AbortSignal,
): Promise<Result<Assessment>> {
  const { api, driver, types, deployment } = parts;
  const served = await driver.served(signal);
  if (!served.ok) return served;
  const read = await readChildren(api, instance, served.value, signal);
  if (!read.ok) return read;
  const deletes = await deletesDefinitions(api, signal);
  if (!deletes.ok) return deletes;
  const { found: children, missing } = read.value;
  const findings = findingsOfState(instance, read.value, deletes.value);
  const nothing = { instance, children, manifests: [], inNewCluster: [], objects: [] };
  const extracted = extractRequest(
    instance.object,
    children.map(({ object }) => object),
    types,
  );
  if (extracted === undefined) {
    const cause = 'the instance has no ManagedCluster that can be read';
    if (!missing.some(({ kind }) => kind === 'ManagedCluster')) {
      findings.push(
        finding('KroChildMissing', describe(instance.object), cause, 'name an instance that makes an AKS cluster'),
      );
    }
    return ok({ ...nothing, findings });
  }
  const { request, described } = extracted;
  if (options.uid !== undefined) request.metadata.uid = options.uid;
  const plan = planRequest(request, { types, today: today(parts), deployment, served: served.value });
  findings.push(...plan.findings);
  const manifests = plan.stages.flatMap(({ cluster, manifests: all }) => (cluster === 'management' ? all : []));
  const inNewCluster = plan.stages.flatMap(({ cluster, manifests: all }) =>
    cluster === 'new' ? all.map(({ kind, metadata }) => `${kind}/${metadata.name}`) : [],
  );
  const objects: ObjectReport[] = [];
  const matched = new Set<string>();
  for (const manifest of plan.valid ? manifests : []) {
    const child = children.find((one) => isOf(one, manifest));
    if (child !== undefined) matched.add(child.object.metadata.uid);
    const report = await compareOne(parts, manifest, child, findings, signal);
    if (!report.ok) return report;
    objects.push(report.value);
  }
  for (const { object, resource } of children) {
    if (matched.has(object.metadata.uid)) continue;
    if (plan.valid && described.some(({ metadata }) => metadata.uid === object.metadata.uid)) {
      const made = manifests.find(({ kind }) => kind === resource.kind);
      const cause = `${describe(object)} would be ${made?.metadata.name ?? 'nothing'} for a request with the name ${request.metadata.name}`;
      findings.push(
        finding('KroNamesDiffer', describe(object), cause, 'the names of the objects have to be those of a request'),
      );
    }
    objects.push({
      object: describe(object),
      apiVersion: object.apiVersion ?? '',
      action: 'keep',
      differences: [],
      kept: [],
    });
  }
  findings.push(...differenceFindings(objects, options.acceptChanges));
  return ok({ instance, children, request, manifests: plan.valid ? manifests : [], inNewCluster, objects, findings });
}

export const blockers = ({ findings }: Pick<Assessment, 'findings'>): Finding[] => findings.filter(isError);

/** Nothing but marks would change. */
export const isEquivalent = ({ objects, findings }: Assessment): boolean =>
  !findings.some(isError) &&
  objects.every(
    ({ action, differences }) => action !== 'create' && differences.every((one) => one.class === 'harmless'),
  );

const isOf = ({ resource, object }: Child, { kind, metadata }: Manifest): boolean =>
  resource.kind === kind && object.metadata.name === metadata.name && object.metadata.namespace === metadata.namespace;

/** With force: KRO holds every field until it has let go. */
async function compareOne(
  { api }: MigrationParts,
  manifest: Manifest,
  child: Child | undefined,
  findings: Finding[],
  signal: AbortSignal,
): Promise<Result<ObjectReport>> {
  const resource = resourceOf(manifest);
  const object = `${manifest.kind} ${manifest.metadata.namespace}/${manifest.metadata.name}`;
  const base = { object, apiVersion: manifest.apiVersion, differences: [], kept: [] };
  // In the version of the manifest: a graph may name an older one.
  const there = await readObject(api, resource, manifest.metadata, signal);
  if (!there.ok) return there;
  if (child === undefined || there.value === undefined) {
    if (
      there.value !== undefined &&
      requestUidIn(there.value.metadata.labels) !== requestUidIn(manifest.metadata.labels)
    ) {
      const cause = 'an object of this name exists, and the instance did not make it';
      findings.push(finding('KroNamesDiffer', object, cause, 'rename or delete that object'));
    }
    return ok({ ...base, action: 'create' });
  }
  const body = { ...manifest, metadata: { ...manifest.metadata, uid: child.object.metadata.uid } };
  const how = { force: true, dryRun: true, strict: true } as const;
  const stored = await api.apply<{ spec?: JsonObject } & typeof child.object>(resource, body as never, how, signal);
  if (!stored.ok) {
    if (stored.error.kind !== 'invalid') return stored;
    findings.push(
      finding(
        'MigrationNotEquivalent',
        object,
        `the API server refuses it: ${stored.error.message}`,
        'correct what it names',
      ),
    );
    return ok({ ...base, action: 'take-over' });
  }
  const live = defined({ spec: there.value.spec, status: there.value.status });
  return ok({ ...base, action: 'take-over', ...compareObjects(live, stored.value.spec ?? {}, manifest.spec) });
}

function differenceFindings(objects: readonly ObjectReport[], acceptChanges: boolean): Finding[] {
  return objects.flatMap(({ object, action, differences }) => {
    const bad = differences.filter((one) => one.class === 'new-cluster' || one.class === 'unknown');
    const changed = differences.filter((one) => one.class === 'in-place');
    const found: Finding[] = bad.map((one) =>
      finding(
        'MigrationNotEquivalent',
        object,
        one.class === 'unknown'
          ? `${one.field} would change, and it is not known what Azure makes of that`
          : `${one.field} would change, which Azure refuses for a cluster that exists`,
        'change the graph so that the field has the value of the request, or keep the instance in KRO',
      ),
    );
    const fix = 'look at the comparison, and pass --accept-changes if you want that';
    const severity = acceptChanges ? 'warning' : 'error';
    for (const one of changed) {
      found.push({ ...finding('MigrationNotEquivalent', object, `${one.field} would change in Azure`, fix), severity });
    }
    if (action === 'create') {
      found.push({
        ...finding('MigrationNotEquivalent', object, 'it does not exist and would be created', fix),
        severity,
      });
    }
    return found;
  });
}
