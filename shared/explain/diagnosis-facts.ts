/** What is known about a claim when somebody asks what is the matter with it. Whatever could not be had is left out. */
import type { Json } from '../base/json.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';

export interface DecisionFact {
  at: number;
  step: string;
  text: string;
  /** Which decision it is, in the catalog of decisions; absent in an old entry that is not known again. */
  code?: string;
  fields?: { [field: string]: Json };
  detail?: Json;
}

export interface WorkflowFact {
  id: string;
  workflow: string;
  status: string;
  startedAt?: number;
  /** In words, for people. */
  waitingFor?: string;
  /** When it goes on by itself. */
  until?: number;
  error?: string;
}

/** Whether the host acts on the cluster, and why not. */
export interface Standing {
  acts: boolean;
  reason?: string | undefined;
  who?: string | undefined;
  why?: string | undefined;
}

/** A pause; `at` is when it was set. */
export interface HeldBy {
  kind: 'cluster' | 'provider';
  name: string;
  setBy: 'configuration' | 'request';
  why?: string | undefined;
  at?: string | undefined;
}

export interface DiagnosisFacts {
  now: number;
  /** As the host calls it. */
  cluster: string;
  claim?: NodeClaim | undefined;
  /** The cluster was asked, and has no such claim. */
  isGone: boolean;
  /** The claim's node, where it names one: `missing` if it is not there. */
  node?: { ready: boolean; why?: string } | 'missing';
  /** Kubernetes Events about the claim, oldest first. */
  events: readonly { type: string; reason: string; message: string; at: number }[];
  /** Oldest first. */
  decisions: readonly DecisionFact[];
  /** The newest of each kind. */
  workflows: readonly WorkflowFact[];
  /** False: no provider of the host serves it. */
  ours?: boolean;
  standing?: Standing;
  /** Those that hold for the claim's cluster. */
  pauses: readonly HeldBy[];
  /** Those that speak of the claim. */
  deadLetters: readonly { id: string; reason: string; at?: number }[];
  /** The host was asked and answered. */
  isHostKnown: boolean;
  /** What the catalog of errors says under a code. */
  explained(code: string): { cause: string; cure: string } | undefined;
}

export interface Diagnosis {
  /** How far the claim is, in words. */
  state: string;
  /** Its entry in the catalog of errors; absent where nothing is wrong, or nothing that has a name. */
  code?: string;
  cause: string;
  cure: string;
  /** Nothing is wrong: it is ready, or on its way. */
  well?: true;
  since?: number;
  /** When it goes on by itself. */
  until?: number;
}

/** Undefined: it does not apply. */
export type Rule = (facts: DiagnosisFacts) => Omit<Diagnosis, 'state'> | undefined;
