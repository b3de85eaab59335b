/**
 * Launch templates by their names, which are hashes of what is in them: whoever needs one looks whether it is there, and makes it
 * if not. A hundred claims that want the same ask once. That one is in use is noted in state; one that nobody used for a day is
 * deleted when another is made, so that they stay as few as are needed.
 */

import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { type Failure, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import { tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { State } from '../../../state/contract.ts';
import type { InstanceTags } from '../../contract.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { allPages } from '../calls/pages.ts';
import { type Tags, tagFilter, toSdkTags } from '../tags.ts';

export interface WantedTemplate {
  name: string;
  data: RequestLaunchTemplateData;
}

type Whose = Pick<InstanceTags, 'deployment' | 'cluster'>;

export interface LaunchTemplatesOptions {
  calls: Pick<Ec2Calls, 'ec2'>;
  state: State;
  clock: Clock;
  scope: string;
}

const unusedSeconds = 86_400;
const rememberedMs = 3_600_000;
/** The note of a use is renewed long before it ends. */
const renewMs = (unusedSeconds * 1000) / 2;
const sweepSeconds = 3600;
/** Shared by all that wait for it, so the signal of none of them ends it. */
const makingMs = 20_000;

export class LaunchTemplates {
  readonly #options: LaunchTemplatesOptions;
  readonly #known: RecentMap<string, true>;
  readonly #making = new Map<string, Promise<Result<void>>>();

  constructor(options: LaunchTemplatesOptions) {
    this.#options = options;
    const { clock } = options;
    this.#known = new RecentMap({ max: 5000, forget: { afterMs: rememberedMs, now: () => clock.now() } });
  }

  async ensure(wanted: readonly WantedTemplate[], whose: Whose, tags: Tags): Promise<Result<void>> {
    const unknown = wanted.filter(({ name }) => !this.#known.has(name));
    const fresh = unknown.filter(({ name }) => !this.#making.has(name));
    if (fresh.length > 0) {
      const making = this.#look(fresh, whose, tags);
      for (const { name } of fresh) {
        this.#making.set(
          name,
          making.finally(() => this.#making.delete(name)),
        );
      }
    }
    for (const result of await Promise.all(unknown.map(({ name }) => this.#making.get(name)))) {
      if (result?.ok === false) return result;
    }
    return ok(undefined);
  }

  /** AWS says that they are gone. */
  async forget(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#known.delete(name);
      await this.#options.state.delete(this.#key(name)).catch(() => false);
    }
  }

  async #look(wanted: readonly WantedTemplate[], whose: Whose, tags: Tags): Promise<Result<void>> {
    const signal = AbortSignal.timeout(makingMs);
    const unsure: WantedTemplate[] = [];
    for (const template of wanted) if (!(await this.#isNoted(template.name))) unsure.push(template);
    if (unsure.length > 0) {
      const there = await this.#namesOf(
        [{ Name: 'launch-template-name', Values: unsure.map(({ name }) => name) }],
        signal,
      );
      if (!there.ok) return there;
      const missing = unsure.filter(({ name }) => !there.value.some((one) => one.name === name));
      for (const template of missing) {
        const made = await this.#make(template, whose, tags, signal);
        if (!made.ok) return made;
      }
      for (const { name } of unsure) await this.#note(name);
      if (missing.length > 0) await this.#sweep(whose, signal);
    }
    for (const { name } of wanted) this.#known.set(name, true);
    return ok(undefined);
  }

  async #make({ name, data }: WantedTemplate, whose: Whose, tags: Tags, signal: AbortSignal): Promise<Result<void>> {
    const own = { ...tags, [tagKeys.deployment]: whose.deployment, [tagKeys.cluster]: whose.cluster };
    const made = await this.#options.calls.ec2(
      'CreateLaunchTemplate',
      {
        LaunchTemplateName: name,
        LaunchTemplateData: data,
        TagSpecifications: [{ ResourceType: 'launch-template', Tags: toSdkTags(own) }],
      },
      signal,
    );
    // Somebody was quicker, with the same content: the name says so.
    if (made.ok || made.error.kind === 'conflict') return ok(undefined);
    return { ok: false, error: asTemplateFailure(made.error) };
  }

  async #namesOf(
    filters: { Name: string; Values: string[] }[],
    signal: AbortSignal,
  ): Promise<Result<{ name: string; madeAt: number }[]>> {
    return allPages(async (token) => {
      const page = await this.#options.calls.ec2(
        'DescribeLaunchTemplates',
        { Filters: filters, ...defined({ NextToken: token }) },
        signal,
      );
      if (!page.ok) return page;
      const items = (page.value.LaunchTemplates ?? []).flatMap(({ LaunchTemplateName: name, CreateTime: made }) =>
        name === undefined ? [] : [{ name, madeAt: made?.getTime() ?? 0 }],
      );
      return ok({ items, next: page.value.NextToken });
    });
  }

  /** Whether it was used lately, by whichever process; then it is there. */
  async #isNoted(name: string): Promise<boolean> {
    const { state, clock } = this.#options;
    const entry = await state.get<{ at: number }>(this.#key(name)).catch(() => undefined);
    if (entry === undefined) return false;
    if (clock.now() - entry.value.at > renewMs) await this.#note(name);
    return true;
  }

  async #note(name: string): Promise<void> {
    const { state, clock } = this.#options;
    await state.put(this.#key(name), { at: clock.now() }, { ttlSeconds: unusedSeconds }).catch(() => undefined);
  }

  /** Best effort: what is not deleted now is by whoever makes the next one. One that is needed after all is made again. */
  async #sweep(whose: Whose, signal: AbortSignal): Promise<void> {
    const { state, clock, calls, scope } = this.#options;
    try {
      const turn = await state.put(
        `ec2/template-sweep/${scope}`,
        { at: clock.now() },
        { ifVersion: null, ttlSeconds: sweepSeconds },
      );
      if (turn === undefined) return;
      const filters = [tagFilter(tagKeys.deployment, whose.deployment), tagFilter(tagKeys.cluster, whose.cluster)];
      const ours = await this.#namesOf(filters, signal);
      if (!ours.ok) return;
      for (const { name, madeAt } of ours.value) {
        const old = clock.now() - madeAt > unusedSeconds * 1000;
        if (!old || (await state.get(this.#key(name))) !== undefined) continue;
        await calls.ec2('DeleteLaunchTemplate', { LaunchTemplateName: name }, signal);
      }
    } catch {
      // Without state nobody knows what is in use: nothing is deleted.
    }
  }

  #key(name: string): string {
    return `ec2/template/${this.#options.scope}/${name}`;
  }
}

/** No machine was asked for yet: whatever went wrong, the attempt can be begun again as it is. */
const asTemplateFailure = (failure: Failure): Failure =>
  failure.kind === 'not-found' || failure.kind === 'outcome-unknown' ? { ...failure, kind: 'unavailable' } : failure;
