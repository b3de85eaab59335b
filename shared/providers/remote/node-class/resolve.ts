/** What a class comes to at its servers: whether they are known and can be reached, and whether they can do what the class asks for. */
import { fingerprint } from '../../../base/fingerprint.ts';
import type { Json } from '../../../base/json.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import type { InstanceType } from '../../../nodes/claims/choice/offerings.ts';
import type { NodeClassCondition, ResolvedNodeClass } from '../../contract.ts';
import type { Servers } from '../servers/servers.ts';
import type { MachineCatalog } from './catalog.ts';
import { whyNoFit } from './fit.ts';
import { parseNodeClass, zonesOf } from './parse.ts';
import type { MachineNodeClassSpec } from './schema.ts';

interface NotReady {
  reason: string;
  message: string;
}

interface Looked {
  servers: readonly string[];
  /** By server. */
  problems: ReadonlyMap<string, NotReady>;
  unreachable: ReadonlyMap<string, Failure>;
}

const types = { servers: 'ProvidersReady', capabilities: 'CapabilitiesMatch' } as const;

export class MachineNodeClasses {
  readonly #servers: Servers;
  readonly #catalog: MachineCatalog;
  readonly #wants: { createsByName: boolean };

  constructor(servers: Servers, catalog: MachineCatalog, wants: { createsByName: boolean }) {
    this.#servers = servers;
    this.#catalog = catalog;
    this.#wants = wants;
  }

  parse(nodeClass: { name: string; spec: Json }): Result<MachineNodeClassSpec> {
    const spec = parseNodeClass(nodeClass.spec);
    if (spec.ok) return spec;
    return failed('invalid', `MachineNodeClass ${nodeClass.name}: ${spec.error.message}`, { about: 'node-class' });
  }

  /** A server that cannot be reached has nothing to offer, and the others go on. */
  async instanceTypes(
    nodeClass: { name: string; spec: Json },
    signal: AbortSignal,
  ): Promise<Result<readonly InstanceType[]>> {
    const spec = this.parse(nodeClass);
    if (!spec.ok) return spec;
    const { servers, problems, unreachable } = await this.#look(spec.value, signal);
    const failures = [...unreachable.values()];
    const [first] = failures;
    if (first !== undefined && failures.length === servers.length) return { ok: false, error: first };
    const why = new Map([
      ...[...problems].map(([server, { message }]) => [server, message] as const),
      ...[...unreachable].map(([server, { message }]) => [server, message] as const),
    ]);
    return ok(this.#catalog.instanceTypes(spec.value, why));
  }

  /** For a launch at one server: `not-ready` and `invalid` say what is in the way. */
  async ready(
    nodeClass: { name: string },
    spec: MachineNodeClassSpec,
    server: string,
    signal: AbortSignal,
  ): Promise<Result<{ keepsTags: boolean }>> {
    if (!this.#servers.has(server)) return notReady(nodeClass.name, this.#unknown(server));
    const capabilities = await this.#servers.capabilities(server, signal);
    if (!capabilities.ok) return capabilities;
    const why = whyNoFit(spec, server, capabilities.value, this.#wants);
    if (why !== undefined) return notReady(nodeClass.name, lacking(why));
    return ok({ keepsTags: capabilities.value.keepsTags });
  }

  /** For the status of the class. */
  async describe(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<ResolvedNodeClass>> {
    const parsed = parseNodeClass(nodeClass.spec);
    if (!parsed.ok) {
      const wrong = { reason: 'InvalidSpec', message: parsed.error.message };
      return ok({ ready: false, ...wrong, resolved: {}, conditions: conditionsFor(wrong, wrong) });
    }
    const spec = parsed.value;
    const { servers, problems, unreachable } = await this.#look(spec, signal);
    const absent = [...problems.values()].filter(({ reason }) => reason === reasons.server);
    const unfit = [...problems.values()].filter(({ reason }) => reason !== reasons.server);
    const away = [...unreachable.values()].map(({ reason = 'ProviderUnavailable', message }) => ({ reason, message }));
    const usable = servers.filter((server) => !problems.has(server) && !unreachable.has(server));
    const conditions = conditionsFor(
      joined([...absent, ...away]),
      usable.length === 0 && unfit.length === 0 ? notChecked : joined(unfit),
      usable,
    );
    const wrong = joined([...absent, ...unfit, ...away]);
    // As long as one server can be used, the class can.
    if (usable.length === 0 && wrong !== undefined) {
      const lasting = [...absent, ...unfit].length > 0 || away.some(({ reason }) => reason !== 'ProviderUnavailable');
      const [failure] = unreachable.values();
      // Nobody could tell, and what was known stays.
      if (!lasting && failure !== undefined) return { ok: false, error: failure };
      return ok({ ready: false, ...wrong, resolved: {}, conditions });
    }
    const zones = zonesOf(spec).filter(({ server }) => usable.includes(server));
    const image = imageOf(spec);
    return ok({
      ready: true,
      resolved: {
        image,
        instanceTypes: spec.sizes.length,
        zones: zones.map(({ name }) => name),
        providers: [...usable],
      },
      hash: hashOf(spec),
      images: [image],
      conditions,
    });
  }

  async #look(spec: MachineNodeClassSpec, signal: AbortSignal): Promise<Looked> {
    const servers = [...new Set(zonesOf(spec).map(({ server }) => server))];
    const problems = new Map<string, NotReady>();
    const unreachable = new Map<string, Failure>();
    await Promise.all(
      servers.map(async (server) => {
        if (!this.#servers.has(server)) {
          problems.set(server, this.#unknown(server));
          return;
        }
        const capabilities = await this.#servers.capabilities(server, signal);
        if (!capabilities.ok) {
          unreachable.set(server, capabilities.error);
          return;
        }
        const why = whyNoFit(spec, server, capabilities.value, this.#wants);
        if (why !== undefined) problems.set(server, lacking(why));
      }),
    );
    return { servers, problems, unreachable };
  }

  #unknown(server: string): NotReady {
    return { reason: reasons.server, message: this.#servers.unknown(server) };
  }
}

const reasons = { server: 'ProviderServerNotFound', capability: 'ProviderCapabilityMissing' } as const;

const lacking = (message: string): NotReady => ({ reason: reasons.capability, message });

const notReady = (name: string, { reason, message }: NotReady): Result<never> =>
  failed('not-ready', `MachineNodeClass ${name}: ${message}`, { reason });

const notChecked: NotReady = { reason: 'NotChecked', message: 'not checked until the other conditions are true' };

const joined = (all: readonly NotReady[]): NotReady | undefined =>
  all[0] && { reason: all[0].reason, message: all.map(({ message }) => message).join('; ') };

function conditionsFor(
  servers: NotReady | undefined,
  capabilities: NotReady | undefined,
  usable: readonly string[] = [],
): NodeClassCondition[] {
  const of = (type: string, wrong: NotReady | undefined): NodeClassCondition => {
    if (wrong === undefined) return { type, status: 'True', message: usable.join(', ') };
    return { type, status: wrong.reason === 'NotChecked' ? 'Unknown' : 'False', ...wrong };
  };
  return [of(types.servers, servers), of(types.capabilities, capabilities)];
}

export const imageOf = ({ image }: MachineNodeClassSpec): string => image.templateName ?? image.path ?? image.url ?? '';

/**
 * Changes when a machine made now would differ from one made before. Sizes and zones only say where a machine may be and how large; images are
 * told by themselves.
 */
function hashOf({ image, sizes: _sizes, zones: _zones, provider: _provider, ...rest }: MachineNodeClassSpec): string {
  return fingerprint({ ...rest, format: image.format });
}
