/** All kinds that the server serves right now: the built-in ones, and those of the definitions in the store. */

import { apiVersionOf, type Resource, storageKey } from '../types.ts';
import { builtinResources } from './builtin-resources.ts';

export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #byStorage = new Map<string, Resource>();
  /** Counts the changes, so that documents made from the registry can be kept until it changes. */
  revision = 0;

  constructor() {
    for (const resource of builtinResources) this.add(resource);
  }

  add(resource: Resource): void {
    this.remove(storageKey(resource));
    this.#byPath.set(`${apiVersionOf(resource)}/${resource.plural}`, resource);
    this.#byStorage.set(storageKey(resource), resource);
    this.revision++;
  }

  remove(storage: string): void {
    const resource = this.#byStorage.get(storage);
    if (!resource) return;
    this.#byPath.delete(`${apiVersionOf(resource)}/${resource.plural}`);
    this.#byStorage.delete(storage);
    this.revision++;
  }

  /** By API version (`v1`, `karpenter.sh/v1`) and plural name. */
  find(apiVersion: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  byStorage(storage: string): Resource | undefined {
    return this.#byStorage.get(storage);
  }

  all(): Resource[] {
    return [...this.#byStorage.values()];
  }
}
