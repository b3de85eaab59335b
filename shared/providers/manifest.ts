/**
 * What is known of a provider before its code is loaded. A manifest is light: no SDK, no I/O, nothing but data, small functions, and
 * where the rest is loaded from. The configuration, its checks and its page, the wizard, the functions that hosts deploy and the rights
 * that they need are made from the list of manifests (`manifests.ts`), so a provider is its folder and one line there.
 */
import type { Environment } from '../base/environment.ts';
import type * as Fields from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Problem, Result } from '../base/result.ts';
import type { CloudCluster } from '../kube/access/access.ts';
import type { KindDefinition } from '../kube/crds/definition.ts';
import type { AzureConnection } from '../platforms/azure/connection.ts';
import type { ProviderContext } from './context.ts';
import type { NodeClassKind, Provider } from './contract.ts';
import type { Wizard } from './wizard.ts';

/** What the code of a provider exports. It checks its options and names the wrong field in `invalid`. */
export interface ProviderModule {
  createProvider(options: Json, context: ProviderContext): Promise<Result<Provider & { close?(): void }>>;
}

/** By the same options as the provider's. A failure's message begins with the wrong field. */
export type OpenResourceManager = (
  options: Json,
  context: Pick<ProviderContext, 'clock' | 'env'>,
) => Result<{ connection: AzureConnection; subscription: string }>;
export type OpenCluster = (options: Json, context: Pick<ProviderContext, 'clock' | 'env'>) => Result<CloudCluster>;

/** Schemas by the name of their field. */
export type OptionFields = Readonly<Record<string, Fields.AnyField>>;

/** Where a cloud announces interruptions: a queue of SQS, and as whom it is read. */
export interface InterruptionQueue {
  /** Its URL or its name. */
  queue: string;
  region?: string | undefined;
  endpoint?: string | undefined;
  roleArn?: string | undefined;
  externalId?: string | undefined;
}

/** What the webhook asks of a node class before it is stored. Pure: what the cloud says of a class is in its conditions. */
export interface NodeClassAdmission {
  validate(spec: Json): readonly Problem[];
  /** The same spec with what it leaves out. */
  defaults(spec: JsonObject): JsonObject;
}

export interface ProviderManifest {
  /** As the configuration names it. */
  readonly type: string;
  /** For the wizard and the pages. */
  readonly title: string;
  /** Its own without a cloud: the wizard offers it only where there is no cluster. */
  readonly simulated?: true;
  readonly nodeClasses: readonly NodeClassKind[];
  /** Its fields of `providers.<name>`, besides those that every provider has. Made with what is handed in, so that no schema is loaded here. */
  options(fields: typeof Fields): OptionFields;
  /** Options that must be given, with what the message says when they are not. */
  readonly required?: Readonly<Record<string, string>>;
  /** What a cluster may say instead of its provider, in a section of `clusters.<name>`. Providers of one cloud share a section. */
  readonly perCluster?: { readonly section: string; fields(fields: typeof Fields): OptionFields };
  /** A Secret of each cluster that the provider reads, as it is called unless the options say otherwise. It may read no other. */
  readonly secret?: { readonly namespace: string; readonly name: string; readonly why: string };
  /** The least options that it works with; for pages and tests. */
  readonly example: { readonly [field: string]: Json };
  /** The texts of its options, for the page of the configuration. */
  texts(): Promise<{
    options: Readonly<Record<string, string>>;
    perCluster?: Readonly<Record<string, string>>;
    /** Sections of the page about more than one option, in Markdown. Those that providers share are shown once. */
    notes?: readonly string[];
  }>;
  /** What the environment says of it, where no configuration names a provider. */
  environment?(env: Environment): { problem?: string; implied?: Readonly<Record<string, Json>> };
  /** Where the cloud runs clusters itself: what `clusters.<name>.access` calls it, and how they are reached. */
  readonly access?: { readonly kind: string; load(): Promise<{ openCluster: OpenCluster }> };
  /** For who makes more than machines there, by the same identity: whole clusters. */
  resourceManager?(): Promise<{ openResourceManager: OpenResourceManager }>;
  interruptions?(options: Readonly<Record<string, string | undefined>>): InterruptionQueue | undefined;
  /** The schemas of its node classes, for those that are ours to install; the CRDs are made from them. */
  definitions?(): Promise<{ definitions: readonly KindDefinition[] }>;
  /** Rules for its node classes that their definition can't hold. */
  admission?(): Promise<{ admission: NodeClassAdmission }>;
  /** What `poolwright init` asks, finds out and writes. */
  readonly flags: Readonly<Record<string, WizardFlag>>;
  /** A call of `poolwright init` for its help. */
  readonly initExample?: string;
  wizard(): Promise<{ wizard: Wizard }>;
  /** Its function on Lambda needs so much memory; the default of the stack otherwise. */
  readonly memoryMegabytes?: number;
  load(): Promise<ProviderModule>;
}

/** An option of `poolwright init`, by the field that it fills in. */
export interface WizardFlag {
  /** As commander declares it: `--region <name>`. */
  readonly flag: string;
  readonly text: string;
  /** The question to a person; without it the wizard does not ask, and the provider can do without. */
  readonly ask?: string;
}
