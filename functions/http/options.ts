/** What a host gives to the HTTP functions. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Json } from '../../shared/base/json.ts';
import type { Timers } from '../../shared/base/timers.ts';
import type { AuditSettings } from '../../shared/identity/audit.ts';
import type { Caller, IntakeKeys, MemberKeys } from '../../shared/identity/callers.ts';
import type { WorkflowInfo, WorkflowStatus } from '../../shared/workflow/contract.ts';
import type { Restarted, RestartOptions } from '../../shared/workflow/restart.ts';
import type { FunctionServices } from '../declaration.ts';
import type { ProviderQuestions } from '../questions/provider-questions.ts';
import type { Peer } from './kit/callers.ts';
import type { Logs } from './routes/logs/log-page.ts';

export interface Readiness {
  ready: boolean;
  checks: Record<string, { ok: boolean; message?: string }>;
  /** Those of them that are about the host itself, such as queues of interruptions, and not about a cluster. */
  own?: readonly string[];
}

/** One workflow with its history, as an engine that can tell it does. */
export interface WorkflowInspection extends WorkflowInfo {
  group: string;
  input: Json;
  history: { step: number; command: string; ok: boolean; value?: Json; error?: string; at: number }[];
  signals: string[];
}

/** What some engines can do beyond the port. Without it, the routes under /v1/workflows don't exist. */
export interface WorkflowAbilities {
  list(query: {
    status?: WorkflowStatus;
    after?: string;
    limit?: number;
  }): Promise<{ items: WorkflowInfo[]; next?: string }>;
  inspect(id: string): Promise<WorkflowInspection | undefined>;
  /** Throws when the workflow is not set aside, or no longer the newest of its key. */
  retrySetAside(id: string): Promise<Restarted>;
  /** Starts the next epoch of its key, whatever became of this one. Throws `RestartRefused`. */
  restart(id: string, options: RestartOptions): Promise<Restarted>;
  /** For the metrics. */
  stats?(): { byWorkflow: Record<string, Partial<Record<WorkflowStatus, number>>> };
}

export interface HttpOptions {
  services: FunctionServices;
  /** Asked at every request, so that a host can rotate it. Without one, everything but health stays shut. */
  token: () => string | undefined;
  /** Callers of the configuration, each with a role. */
  members: () => readonly MemberKeys[];
  /** How much of the audit log is kept. */
  audit?: AuditSettings;
  /** What proves that a cluster calls; asked at every request too. Without it, no cluster can. */
  intake?: (cluster: string) => IntakeKeys;
  ready: () => Promise<Readiness>;
  version: string;
  workflows?: WorkflowAbilities;
  /** Without it, there is no /v1/logs. */
  logs?: Logs;
  /** Who answers what needs a provider; without it, this process does. */
  questions?: ProviderQuestions;
  /**
   * With more ready events than this on the queue, of all clusters, the intake answers 429. For queues that don't bound what each
   * cluster has waiting.
   */
  maxReadyEvents?: number;
  /** Whether the host sends a body while it is made; functions of a cloud send it whole. */
  canStream?: boolean;
  /** Real ones unless a test brings its own. */
  timers?: Timers;
  /** The biggest body of the event intake, in bytes. */
  maxIntakeBytes?: number;
}

export type HttpEnv = { Variables: { caller: Caller }; Bindings: Partial<Peer> };

export type HttpApp = OpenAPIHono<HttpEnv>;

/** Times leave as RFC 3339, whatever the clock counts in. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
