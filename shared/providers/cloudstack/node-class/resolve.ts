/**
 * What a class comes to at CloudStack: its zones, networks, offerings and templates, each looked for in lists that all classes share,
 * and what is in the way of making machines with it.
 */
import type { Json } from '../../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import { isLastingProblem } from '../../../platforms/cloudstack/codes.ts';
import type { ResolvedNodeClass } from '../../contract.ts';
import type { Inventory } from '../site/inventory.ts';
import { conditionsOf, type Parts, unknownConditions } from './conditions.ts';
import { findExtras } from './extras.ts';
import { findOfferings } from './find-offerings.ts';
import { type Found, isMissing, type NotReady } from './found.ts';
import { findNetworks } from './networks.ts';
import { parseNodeClass, zonesOf } from './parse.ts';
import type { ResolvedCloudStackClass } from './resolved.ts';
import type { CloudStackNodeClassSpec } from './schema.ts';
import { hashOf, statusOf } from './status.ts';
import { findTemplates } from './templates.ts';
import { userDataProblem } from './user-data.ts';
import { findZones } from './zones.ts';

export interface NodeClassesParts {
  inventory: Inventory;
  /** The option: as long as CloudStack takes it. */
  userDataLength?: number | undefined;
  /** The instance types that each offering becomes, by its id. */
  typesOf(resolved: ResolvedCloudStackClass): ReadonlyMap<string, readonly string[]>;
}

type Resolution =
  | { ready: true; class: ResolvedCloudStackClass; parts: Parts }
  | ({ ready: false; parts: Parts } & NotReady);

export class CloudStackNodeClasses {
  readonly #parts: NodeClassesParts;

  constructor(parts: NodeClassesParts) {
    this.#parts = parts;
  }

  /** For launches and offerings: `invalid` and `not-ready` say what is wrong with the class. */
  async resolve(
    nodeClass: { name: string; spec: Json },
    signal: AbortSignal,
  ): Promise<Result<ResolvedCloudStackClass>> {
    const spec = parseNodeClass(nodeClass.spec);
    const who = `CloudStackNodeClass ${nodeClass.name}`;
    if (!spec.ok) return failed('invalid', `${who}: ${spec.error.message}`, { about: 'node-class' });
    const resolution = await this.#resolve(nodeClass.name, spec.value, signal);
    if (!resolution.ok) return resolution;
    if (resolution.value.ready) return ok(resolution.value.class);
    const { reason, message } = resolution.value;
    return failed('not-ready', `${who}: ${message}`, { reason });
  }

  /** For the status of the class. */
  async describe(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    const spec = parseNodeClass(nodeClass.spec);
    if (!spec.ok) {
      const wrong = { reason: 'InvalidSpec', message: spec.error.message };
      return ok({ ready: false, ...wrong, resolved: {}, conditions: unknownConditions(wrong) });
    }
    const resolution = await this.#resolve(nodeClass.name, spec.value, signal);
    if (!resolution.ok) return unreachable(resolution.error);
    const conditions = conditionsOf(resolution.value.parts);
    if (!resolution.value.ready) {
      const { reason, message } = resolution.value;
      return ok({ ready: false, reason, message, resolved: {}, conditions });
    }
    const resolved = resolution.value.class;
    return ok({
      ready: true,
      resolved: statusOf(resolved, this.#parts.typesOf(resolved)),
      hash: hashOf(resolved),
      images: [...new Set(resolved.templates.map(({ id }) => id))],
      conditions,
    });
  }

  /** CloudStack has refused what we knew: all is asked anew. */
  forget(): void {
    this.#parts.inventory.forget();
  }

  async #resolve(name: string, spec: CloudStackNodeClassSpec, signal: AbortSignal): Promise<Result<Resolution>> {
    const { inventory } = this.#parts;
    const allZones = await inventory.zones(signal);
    if (!allZones.ok) return allZones;
    const zones = findZones(zonesOf(spec), allZones.value);
    if (isMissing(zones)) return this.#notReady('zones', { zones });
    const [allNetworks, allTemplates, allOfferings] = await Promise.all([
      inventory.networks(signal),
      inventory.templates(signal),
      inventory.serviceOfferings(signal),
    ]);
    if (!allNetworks.ok) return allNetworks;
    if (!allTemplates.ok) return allTemplates;
    if (!allOfferings.ok) return allOfferings;
    const networks = findNetworks(spec.networkSelectorTerms, allNetworks.value, zones.found);
    const templates = findTemplates(spec.templateSelectorTerms, allTemplates.value, zones.found);
    const known = isMissing(templates) ? [] : templates.found.templates;
    const offerings = findOfferings(spec, allOfferings.value, zones.found, known);
    // That no offering fits where there is no template says nothing.
    const told = isMissing(templates) && isMismatch(offerings) ? {} : { offerings };
    const parts: Parts = { zones, networks, templates, ...told };
    if (isMissing(networks)) return this.#notReady('networks', parts);
    if (isMissing(templates)) return this.#notReady('templates', parts);
    if (isMissing(offerings)) return this.#notReady('service-offerings', parts);
    const good = zones.found.filter(
      (zone) => networks.found.zones.includes(zone) && templates.found.zones.includes(zone),
    );
    if (good.length === 0) {
      const message = 'no zone of the class has both a network and a template that the class selects';
      return ok({ ready: false, reason: 'TemplatesNotFound', message, parts });
    }
    const extras = await findExtras(spec, networks.found.networks, inventory, signal);
    if (!extras.ok) return extras;
    if (isMissing(extras.value)) {
      for (const what of ['disk-offerings', 'security-groups', 'affinity-groups', 'key-pairs']) inventory.doubt(what);
      return ok({ ready: false, ...extras.value.missing, parts });
    }
    const tooLong = userDataProblem(spec, this.#parts.userDataLength);
    if (tooLong !== undefined) return ok({ ready: false, ...tooLong, parts });
    const inZone = ({ zoneId }: { zoneId: string }): boolean => good.some(({ id }) => id === zoneId);
    return ok({
      ready: true,
      parts,
      class: {
        name,
        spec,
        zones: good,
        networks: networks.found.networks.filter(inZone),
        templates: templates.found.templates.filter(inZone),
        offerings: offerings.found,
        ...extras.value.found,
      },
    });
  }

  /** Everything that is missing at once; the first gives the reason. Somebody is about to mend it, so it is looked at anew soon. */
  #notReady(doubted: string, parts: Parts): Result<Resolution> {
    this.#parts.inventory.doubt(doubted);
    const all: (Found<unknown> | undefined)[] = [parts.zones, parts.networks, parts.templates, parts.offerings];
    const lacking = all.flatMap((part) => (part !== undefined && 'missing' in part ? [part.missing] : []));
    const message = lacking.map((one) => one.message).join('; ');
    return ok({ ready: false, reason: lacking[0]?.reason ?? 'NotReady', message, parts });
  }
}

const isMismatch = (offerings: Found<unknown>): boolean =>
  isMissing(offerings) && offerings.missing.reason === 'OfferingTemplateMismatch';

/** What somebody has to mend is said at the class; of what passes by itself, what was known stays. */
function unreachable(failure: Failure): Result<ResolvedNodeClass> {
  const { code, reason = code, message } = failure;
  if (reason === undefined || !(isLastingProblem(reason) || failure.kind === 'not-ready'))
    return { ok: false, error: failure };
  const why = { reason, message };
  return ok({ ready: false, ...why, resolved: {}, conditions: unknownConditions(why) });
}
