/** A right in AWS that functions of the stack need, and why. */
import type { Cfn } from './cloudformation.ts';

export type Condition = Readonly<Record<string, Readonly<Record<string, Cfn | readonly Cfn[]>>>>;

/** What of the settings of a deployment its rights depend on. */
export interface RightSettings {
  readonly stage: string;
  /** What our instances are tagged with. */
  readonly deployment: string;
  readonly nodeRoles: readonly string[];
  readonly adoption: boolean;
}

export interface StackRight<Settings extends RightSettings = RightSettings> {
  /** The `Sid` of its statement. */
  readonly id: string;
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  /** The names of the functions that have it. */
  readonly functions: readonly string[];
  /** In words, for the page. */
  readonly on: string;
  /** None: the statement is left out. */
  resources(settings: Settings, name: string): readonly Cfn[];
  condition?(settings: Settings, name: string): Condition;
  /** In words, for the page. */
  readonly onlyIf?: string;
  readonly why: string;
  /** Why the resource is `*`. */
  readonly anyResource?: string;
}

/** What a provider brings to the stack on AWS: `aws-stack.ts` in its folder, where it needs anything there. */
export interface ProviderStack {
  readonly rights: readonly StackRight[];
  /** Patterns of EventBridge that go to the queue of interruptions, by the name of their rule. */
  readonly notices: Readonly<Record<string, EventPattern>>;
  /** The cluster of EKS that its machines join, by the options of the provider in one cluster. */
  eksCluster?(options: Readonly<Record<string, unknown>>): string | undefined;
}

export type EventPattern = {
  readonly source: readonly string[];
  readonly 'detail-type': readonly [string, ...string[]];
  readonly detail?: Readonly<Record<string, readonly string[]>>;
};
