/**
 * Which class a VM was made of, where the VM does not say so: the crash that left its tags out left this out too. Only a class that was
 * resolved in this process can be told, and only where no other could have made the same VM. Where the VM says by a hash which tags it got
 * from its class, those are told, also of a class that has others by now; state keeps them for other processes.
 */
import type { State } from '../../../state/contract.ts';
import type { ResolvedCloudStackClass } from '../node-class/resolved.ts';
import { readMadeOf, tagsHash } from './made-of.ts';
import { cloudStackTags, type Tags } from './ownership.ts';
import type { Vm } from './vm.ts';

interface Known {
  name: string;
  tags: Tags;
  offeringIds: ReadonlySet<string>;
  templateIds: ReadonlySet<string>;
  networkIds: ReadonlySet<string>;
}

/** What is asked for again is written again. */
const keptSeconds = 30 * 86_400;

export class MadeBy {
  readonly #state: State;
  readonly #classes = new Map<string, Known>();
  readonly #tags = new Map<string, Tags>();

  constructor(state: State) {
    this.#state = state;
  }

  learn({ name, spec, offerings, templates, networks }: ResolvedCloudStackClass): void {
    const { tags = {} } = spec;
    const hash = tagsHash(tags);
    if (!this.#tags.has(hash)) {
      this.#tags.set(hash, tags);
      void this.#state.put(keyOf(hash), { ...tags }, { ttlSeconds: keptSeconds }).catch(() => undefined);
    }
    this.#classes.set(name, {
      name,
      tags,
      offeringIds: new Set(offerings.map(({ id }) => id)),
      templateIds: new Set(templates.map(({ id }) => id)),
      networkIds: new Set(networks.map(({ id }) => id)),
    });
  }

  /** The tags that the VM got from its class; undefined while nothing here knows them. */
  async tagsOf(vm: Vm): Promise<Tags | undefined> {
    const hash = readMadeOf(vm.tags[cloudStackTags.madeOf])?.tags;
    if (hash === undefined) return this.classOf(vm)?.tags;
    const known = this.#tags.get(hash);
    if (known !== undefined) return known;
    const kept = await this.#state.get<Record<string, string>>(keyOf(hash)).catch(() => undefined);
    if (kept !== undefined) this.#tags.set(hash, kept.value);
    return kept?.value;
  }

  classOf(vm: Vm): Pick<Known, 'name' | 'tags'> | undefined {
    const said = vm.tags[cloudStackTags.nodeClass];
    if (said !== undefined) return this.#classes.get(said);
    const able = [...this.#classes.values()].filter(
      ({ offeringIds, templateIds, networkIds }) =>
        offeringIds.has(vm.offeringId) &&
        templateIds.has(vm.templateId) &&
        vm.networks.every(({ id }) => networkIds.has(id)),
    );
    return able.length === 1 ? able[0] : undefined;
  }
}

const keyOf = (hash: string): string => `cloudstack/class-tags/${hash}`;
