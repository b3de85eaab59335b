/** What a host adds to a plan: its pool types, API versions and policy, the price, and the checks at Azure. A plan needs none. */
import { defined } from '../../../../shared/base/defined.ts';
import type { Json } from '../../../../shared/base/json.ts';
import type { HostPlan } from '../../../../shared/clusters/operations/plan.ts';
import { isNamed } from '../../../reach/cluster-access.ts';
import { type HostApi, openHostApi } from '../../../reach/host-api.ts';
import { UserError } from '../../../terminal/user-error.ts';
import type { RequestsChoice } from '../requests/requests.ts';

export interface HostPlanning extends RequestsChoice {
  check?: boolean;
}

export interface PlanningHost {
  /** Undefined: the host does not plan, and nobody said that it must. */
  plan(object: unknown): Promise<HostPlan | undefined>;
  close(): void;
}

export function planningHost(options: HostPlanning): PlanningHost {
  const { url, check = false, cluster } = options;
  const mustAnswer = url !== undefined || check;
  let api: HostApi | undefined;
  const open = (): HostApi | undefined => {
    if (isNamed(options) && !mustAnswer) return undefined;
    api ??= openHostApi(options);
    return api;
  };
  return {
    async plan(object) {
      try {
        const query = { check: String(check), ...defined({ cluster }) };
        return await open()?.ask<HostPlan>('POST', '/v1/cluster-requests/plan', { query, body: object as Json });
      } catch (error) {
        if (mustAnswer || !(error instanceof UserError)) throw error;
        return undefined;
      }
    },
    close: () => api?.close(),
  };
}
