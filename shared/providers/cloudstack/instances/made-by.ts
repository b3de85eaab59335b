/**
 * Which class a VM was made of, where the VM does not say so: the crash that left its tags out left this out too. Only a class that was
 * resolved in this process can be told, and only where no other could have made the same VM.
 */
import type { ResolvedCloudStackClass } from '../node-class/resolved.ts';
import { cloudStackTags, type Tags } from './ownership.ts';
import type { Vm } from './vm.ts';

interface Known {
  name: string;
  tags: Tags;
  offeringIds: ReadonlySet<string>;
  templateIds: ReadonlySet<string>;
  networkIds: ReadonlySet<string>;
}

export class MadeBy {
  readonly #classes = new Map<string, Known>();

  learn({ name, spec, offerings, templates, networks }: ResolvedCloudStackClass): void {
    this.#classes.set(name, {
      name,
      tags: spec.tags ?? {},
      offeringIds: new Set(offerings.map(({ id }) => id)),
      templateIds: new Set(templates.map(({ id }) => id)),
      networkIds: new Set(networks.map(({ id }) => id)),
    });
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
