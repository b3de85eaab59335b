/**
 * The provider for CloudStack. Everything that it knows is at CloudStack or in the claim; what it keeps in state are answers that cost
 * calls. Its two halves are put together here: what is sold (`node-class/`, `catalog/`), and the machines (`launch/`, `instances/`).
 */
import type { Check } from '../../base/checks.ts';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { InstanceType } from '../../nodes/claims/choice/offerings.ts';
import type {
  Adoption,
  ClaimKey,
  CreateProgress,
  CreateRequest,
  DeleteProgress,
  DeleteTarget,
  Instance,
  InstanceTags,
  Provider,
  Quota,
  ResolvedNodeClass,
} from '../contract.ts';
import type { CloudStackFacts } from './facts.ts';
import type { ClassRef, CloudStackParts, InstanceSide } from './parts.ts';

export interface CloudStackProviderParts {
  facts: CloudStackFacts;
  parts: CloudStackParts;
  instances: InstanceSide;
  close(): void;
}

type Owner = Pick<InstanceTags, 'deployment' | 'cluster'>;

export class CloudStackProvider implements Provider {
  readonly name: string;
  readonly traits: CloudStackFacts['traits'];
  readonly nodeClasses: CloudStackFacts['nodeClasses'];
  readonly instanceIds: CloudStackFacts['instanceIds'];
  readonly #parts: CloudStackParts;
  readonly #instances: InstanceSide;
  readonly #close: () => void;

  constructor({ facts, parts, instances, close }: CloudStackProviderParts) {
    this.name = facts.name;
    this.traits = facts.traits;
    this.nodeClasses = facts.nodeClasses;
    this.instanceIds = facts.instanceIds;
    this.#parts = parts;
    this.#instances = instances;
    this.#close = close;
  }

  place(): Promise<Result<string>> {
    return this.#parts.place(AbortSignal.timeout(placeMs));
  }

  roomToCreate(token: string, signal: AbortSignal): Promise<Result<void>> {
    return this.#parts.client.reserve(token, signal);
  }

  async beginCreate(request: CreateRequest, signal: AbortSignal): Promise<Result<CreateProgress>> {
    if (request.place !== undefined) {
      const here = await this.place();
      if (!here.ok) return here;
      if (here.value !== request.place) {
        return failed('not-ready', `instances are now created at ${here.value}; the claim retries`);
      }
    }
    return this.#instances.beginCreate(request, signal);
  }

  pollCreate(handle: Json, signal: AbortSignal): Promise<Result<CreateProgress>> {
    return this.#instances.pollCreate(handle, signal);
  }

  beginDelete(target: DeleteTarget, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    return this.#instances.beginDelete(target, signal);
  }

  pollDelete(handle: Json, signal: AbortSignal): Promise<Result<DeleteProgress>> {
    return this.#instances.pollDelete(handle, signal);
  }

  find(claim: ClaimKey, signal: AbortSignal): Promise<Result<Instance[]>> {
    return this.#instances.find(claim, signal);
  }

  get(owner: Owner, providerID: string, signal: AbortSignal): Promise<Result<Instance>> {
    return this.#instances.get(owner, providerID, signal);
  }

  list(owner: Owner, page: string | undefined, signal: AbortSignal) {
    return this.#instances.list(owner, page, signal);
  }

  adopt(claim: ClaimKey, providerID: string, how: { dryRun: boolean }, signal: AbortSignal): Promise<Result<Adoption>> {
    return this.#instances.adopt(claim, providerID, how, signal);
  }

  tidy(owner: Owner, signal: AbortSignal): Promise<Result<void>> {
    return this.#instances.tidy(owner, signal);
  }

  async instanceTypes(nodeClass: ClassRef, signal: AbortSignal): Promise<Result<readonly InstanceType[]>> {
    if (signal.aborted) return failed('unavailable', 'the call was stopped before it was sent');
    const resolved = await this.#parts.classes.resolve(nodeClass, signal);
    return resolved.ok ? ok(this.#parts.catalog.instanceTypes(resolved.value)) : resolved;
  }

  resolveNodeClass(nodeClass: ClassRef, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    return this.#parts.classes.describe(nodeClass, signal);
  }

  async check(_owner: Owner, signal: AbortSignal): Promise<Check[]> {
    const { checkCloudStack } = await import('./check.ts');
    return checkCloudStack(this.#parts, signal);
  }

  async quota(signal: AbortSignal): Promise<Result<Quota[]>> {
    const { readQuota } = await import('./catalog/quota.ts');
    return readQuota(this.#parts, signal);
  }

  close(): void {
    this.#close();
  }
}

const placeMs = 20_000;
