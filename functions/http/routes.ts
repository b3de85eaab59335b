/** Every route of the HTTP API, in the order in which a path is looked for. A new one gets a line here. */

import { addOpenApi } from './openapi.ts';
import type { HttpApp, HttpOptions } from './options.ts';
import { addAdoptClaim } from './routes/claims/adopt-claim.ts';
import { addDecisions } from './routes/claims/decisions.ts';
import { addExplain } from './routes/claims/explain.ts';
import {
  addCancelClusterRequest,
  addReplaceClusterRequest,
  addRetryClusterRequest,
} from './routes/cluster-requests/change-request.ts';
import { addCreateClusterRequest } from './routes/cluster-requests/create-request.ts';
import { addDeleteClusterRequest } from './routes/cluster-requests/delete-request.ts';
import { addDiffClusterRequest } from './routes/cluster-requests/diff-request.ts';
import { addExplainClusterRequest } from './routes/cluster-requests/explain-request.ts';
import { addGetClusterRequest } from './routes/cluster-requests/get-request.ts';
import { addClusterRequests } from './routes/cluster-requests/list-requests.ts';
import { addPlanClusterRequest } from './routes/cluster-requests/plan-request.ts';
import { addClusters } from './routes/clusters/clusters.ts';
import { addConfirmCluster } from './routes/clusters/confirm-cluster.ts';
import { addDeadLetter } from './routes/dead-letters/dead-letter.ts';
import { addDeadLetters } from './routes/dead-letters/dead-letters.ts';
import { addDropDeadLetters } from './routes/dead-letters/drop-dead-letters.ts';
import { addReplayDeadLetters } from './routes/dead-letters/replay-dead-letters.ts';
import { addEvents } from './routes/events/events.ts';
import { addExplainEvent } from './routes/events/explain-event.ts';
import { addAudit } from './routes/identity/audit.ts';
import { addMe } from './routes/identity/me.ts';
import { addLogs } from './routes/logs/logs.ts';
import { addExplainNodeClass } from './routes/node-classes/explain-node-class.ts';
import { addOfferings } from './routes/offerings/offerings.ts';
import { addUnavailableOfferings } from './routes/offerings/unavailable-offerings.ts';
import { addLiftPause } from './routes/pauses/lift-pause.ts';
import { addPauses } from './routes/pauses/pauses.ts';
import { addSetPause } from './routes/pauses/set-pause.ts';
import { addPlan } from './routes/plan/plan.ts';
import { addExplainPool } from './routes/pools/explain-pool.ts';
import { addCheckProvider } from './routes/providers/check-provider.ts';
import { addInstances } from './routes/providers/instances.ts';
import { addProviders } from './routes/providers/providers.ts';
import { addChecks } from './routes/status/checks.ts';
import { addHealth } from './routes/status/health.ts';
import { addMetrics } from './routes/status/metrics.ts';
import { addReadiness } from './routes/status/readiness.ts';
import { addWebhook } from './routes/webhook/webhook.ts';
import { addRestartWorkflow } from './routes/workflows/restart-workflow.ts';
import { addRetryWorkflow } from './routes/workflows/retry-workflow.ts';
import { addWorkflow } from './routes/workflows/workflow.ts';
import { addWorkflows } from './routes/workflows/workflows.ts';

/** Adds a route to the app; one that needs what this host does not have adds nothing. */
export type AddRoute = (app: HttpApp, options: HttpOptions) => void;

export const routes: readonly AddRoute[] = [
  addHealth,
  addReadiness,
  addMetrics,
  addOpenApi,
  addEvents,
  addExplainEvent,
  addWebhook,
  addChecks,
  addClusters,
  addConfirmCluster,
  addCreateClusterRequest,
  addClusterRequests,
  addPlanClusterRequest,
  addGetClusterRequest,
  addReplaceClusterRequest,
  addDeleteClusterRequest,
  addCancelClusterRequest,
  addRetryClusterRequest,
  addExplainClusterRequest,
  addDiffClusterRequest,
  addProviders,
  addCheckProvider,
  addInstances,
  addAdoptClaim,
  addDecisions,
  addExplain,
  addExplainPool,
  addExplainNodeClass,
  addDeadLetters,
  addDeadLetter,
  addReplayDeadLetters,
  addDropDeadLetters,
  addOfferings,
  addUnavailableOfferings,
  addPlan,
  addPauses,
  addSetPause,
  addLiftPause,
  addMe,
  addAudit,
  (app, { logs }) => void (logs && addLogs(app, logs)),
  (app, options) => void (options.workflows && addWorkflows(app, options, options.workflows)),
  (app, { workflows }) => void (workflows && addWorkflow(app, workflows)),
  (app, options) => void (options.workflows && addRetryWorkflow(app, options, options.workflows)),
  (app, { workflows }) => void (workflows && addRestartWorkflow(app, workflows)),
];
