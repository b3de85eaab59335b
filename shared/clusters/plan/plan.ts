/**
 * What would become of a request: what is wrong with it, what would be applied, in which order. Nothing is created and nothing is asked, so
 * the price is unknown here, which is not the same as nothing.
 */

import { asObject, type Json } from '../../base/json.ts';
import type { Served } from '../manifests/api-versions.ts';
import { generate } from '../manifests/generate.ts';
import type { PlannedStage } from '../manifests/manifest.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { checkRequest, type Surroundings } from '../rules/validate.ts';

export interface PlanSurroundings extends Surroundings {
  deployment: string;
  served?: Served;
}

export interface ClusterPlan {
  name: string;
  namespace: string;
  valid: boolean;
  findings: readonly Finding[];
  /** Absent for an invalid request. */
  resolved?: Resolved;
  stages: readonly PlannedStage[];
  /** Unknown until prices are read. */
  monthlyPrice: null;
}

/** In the place of a uid that the API server has not given yet. */
const noUid = '00000000-0000-0000-0000-000000000000';

/** Also of a request that is malformed: people look for it by its name. */
function namesIn(object: unknown): { name: string; namespace: string } {
  const { name, namespace } = asObject(asObject(object as Json)?.metadata) ?? {};
  return {
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : 'default',
  };
}

export function planRequest(object: unknown, surroundings: PlanSurroundings): ClusterPlan {
  const { request, resolved, findings } = checkRequest(object, surroundings);
  const { name, namespace } = namesIn(object);
  const refused = { name, namespace, valid: false, stages: [], monthlyPrice: null } as const;
  if (request === undefined || resolved === undefined || findings.some(isError)) return { ...refused, findings };
  const { deployment, served } = surroundings;
  const uid = request.metadata.uid ?? noUid;
  const generated = generate(resolved, { deployment, uid, ...(served === undefined ? {} : { served }) });
  const all = [...findings, ...generated.findings];
  if (all.some(isError)) return { ...refused, findings: all };
  return { name, namespace, valid: true, findings: all, resolved, stages: generated.stages, monthlyPrice: null };
}
