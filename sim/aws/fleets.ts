/** CreateFleet, of the kind that answers at once: one call with many offerings, of which the first that can be had is taken. */
import { createHash } from 'node:crypto';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { FaultBook, FaultDecision } from '../kit/faults.ts';
import type { Ec2Instance } from './instance.ts';
import { type Launch, type Launcher, type Lifecycle, maxSpotCount, soldOut, vcpuLimit } from './launch.ts';
import type { LaunchTemplate, LaunchTemplates } from './launch-templates.ts';
import type { AwsSettings } from './settings.ts';
import { spotPriceOf } from './types.ts';
import { type Outcome, type Problem, refuse } from './wire/answer.ts';
import { type Form, formAt, formsAt, tagsFor, textAt } from './wire/form.ts';
import type { Xml } from './wire/xml.ts';
import type { AwsWorld } from './world.ts';

/** One line of what was asked for. */
interface Candidate {
  template: LaunchTemplate;
  override: Form;
  priority: number;
}

interface FleetError {
  candidate: Candidate;
  problem: Problem;
}

interface Settled {
  fingerprint: string;
  outcome: Outcome;
  expiresAt: number;
}

interface FleetParts {
  world: AwsWorld;
  settings: AwsSettings;
  templates: LaunchTemplates;
  launcher: Launcher;
  faults: FaultBook;
  /** Whether the caller may start instances: EC2 asks for that with every launch, not with the call. */
  mayLaunch: () => Problem | undefined;
}

const longestToken = 128;
const mostOverrides = 300;

export class Fleets {
  readonly #parts: FleetParts;
  readonly #tokens = new Map<string, Settled>();
  #made = 0;
  #repeated = 0;
  #mismatched = 0;

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  /** How many fleets there ever were, and how often a token came again, with the same and with other parameters. */
  get counts(): { made: number; repeated: number; mismatched: number } {
    return { made: this.#made, repeated: this.#repeated, mismatched: this.#mismatched };
  }

  /** Every token is void, as if its time were over. */
  forgetTokens(): void {
    this.#tokens.clear();
  }

  create(form: Form, decision: FaultDecision): Outcome {
    const token = textAt(form, 'ClientToken');
    if (token !== undefined && token.length > longestToken) {
      return refuse('InvalidParameterValue', `The client token is longer than ${longestToken} characters.`);
    }
    const fingerprint = fingerprintOf(form);
    const before = token === undefined ? undefined : this.#settled(token);
    if (before !== undefined) {
      if (before.fingerprint === fingerprint) {
        this.#repeated++;
        return before.outcome;
      }
      this.#mismatched++;
      return refuse(
        'IdempotentParameterMismatch',
        'The client token has already been used with other parameters. Use another token or the same parameters.',
      );
    }
    const outcome = this.#make(form, token, decision);
    // What was refused as a whole has made nothing, and its token is free again.
    if (token !== undefined && !('problem' in outcome)) {
      const { world, settings } = this.#parts;
      const expiresAt = world.now + settings.clientTokenSeconds * 1000;
      this.#tokens.set(token, { fingerprint, outcome, expiresAt });
    }
    return outcome;
  }

  #settled(token: string): Settled | undefined {
    const found = this.#tokens.get(token);
    return found !== undefined && found.expiresAt > this.#parts.world.now ? found : undefined;
  }

  #make(form: Form, token: string | undefined, decision: FaultDecision): Outcome {
    const { launcher, faults, world } = this.#parts;
    const request = this.#read(form);
    if ('problem' in request) return request;
    const { candidates, lifecycle, target, openFirst } = request;
    const fleet = { id: fleetId(++this.#made), token };
    const tags = tagsFor(form, 'instance');
    const subject = { claimUid: tags[tagKeys.claimUid], claimName: tags[tagKeys.claim] };
    const errors: FleetError[] = [];
    const launches: { candidate: Candidate; launch: Launch }[] = [];
    for (const candidate of candidates) {
      const launch = launcher.prepare(candidate.template, candidate.override, lifecycle, openFirst);
      if ('code' in launch) errors.push({ candidate, problem: launch });
      else launches.push({ candidate, launch });
    }
    const started: { candidate: Candidate; launch: Launch; instance: Ec2Instance }[] = [];
    for (const { candidate, launch } of this.#inOrder(launches, form)) {
      if (started.length === target) break;
      const { type, subnet } = launch;
      const offering = { instanceType: type.name, zone: subnet.zone.name, capacityType: lifecycle };
      const own = faults.empty ? undefined : faults.decide('create', { ...subject, offering }, world.now, true);
      const problem =
        this.#parts.mayLaunch() ??
        scarcityOf(decision, launch, world.living) ??
        (own && scarcityOf(own, launch, world.living)) ??
        launcher.scarcity(launch);
      if (problem !== undefined) {
        errors.push({ candidate, problem });
        continue;
      }
      const machine = [...decision.machine, ...(own?.machine ?? [])];
      // One offering may have to give all that is asked for.
      while (started.length < target && launcher.scarcity(launch) === undefined) {
        started.push({ candidate, launch, instance: launcher.start(launch, tags, fleet, machine) });
      }
    }
    return {
      xml: {
        fleetId: fleet.id,
        errorSet: errors.map(({ candidate, problem }) => ({
          launchTemplateAndOverrides: shown(candidate),
          lifecycle,
          errorCode: problem.code,
          errorMessage: problem.message,
        })),
        fleetInstanceSet: grouped(started).map(({ candidate, launch, ids }) => ({
          launchTemplateAndOverrides: shown(candidate),
          lifecycle,
          instanceIds: ids,
          instanceType: launch.type.name,
        })),
      },
    };
  }

  #read(
    form: Form,
  ): { candidates: Candidate[]; lifecycle: Lifecycle; target: number; openFirst: boolean } | { problem: Problem } {
    const { templates } = this.#parts;
    const kind = textAt(form, 'Type') ?? 'maintain';
    if (kind !== 'instant')
      return refuse('Unsupported', `The stand-in supports only instant fleets, not ${kind} fleets.`);
    const capacity = formAt(form, 'TargetCapacitySpecification');
    const target = Number(textAt(capacity, 'TotalTargetCapacity'));
    if (!Number.isInteger(target) || target < 1) {
      return refuse('InvalidTargetCapacitySpecification', 'TotalTargetCapacity must be a number greater than 0.');
    }
    const lifecycle = textAt(capacity, 'DefaultTargetCapacityType') ?? 'on-demand';
    if (lifecycle !== 'spot' && lifecycle !== 'on-demand') {
      return refuse(
        'InvalidParameterValue',
        `Value (${lifecycle}) for parameter DefaultTargetCapacityType is invalid.`,
      );
    }
    const configs = formsAt(form, 'LaunchTemplateConfigs');
    if (configs.length === 0) {
      return refuse('MissingParameter', 'The request must contain the parameter LaunchTemplateConfigs');
    }
    const wrongTag = Object.entries(tagsFor(form, 'instance')).find(([key, value]) => wrongTagOf(key, value));
    if (wrongTag !== undefined) {
      return refuse(
        'InvalidParameterValue',
        `The tag '${wrongTag[0]}' is not allowed: keys have at most 128 characters and don't start with aws:, values at most 256.`,
      );
    }
    const candidates: Candidate[] = [];
    for (const config of configs) {
      const found = templates.find(formAt(config, 'LaunchTemplateSpecification'));
      if ('problem' in found) return found;
      const overrides = formsAt(config, 'Overrides');
      for (const override of overrides.length === 0 ? [{}] : overrides) {
        const priority = Number(textAt(override, 'Priority') ?? candidates.length);
        candidates.push({ template: found.template, override, priority });
      }
    }
    if (candidates.length > mostOverrides) {
      return refuse('InvalidParameterValue', `A fleet may have at most ${mostOverrides} overrides.`);
    }
    const pools = candidates.map(({ override }) => `${textAt(override, 'InstanceType')}/${this.#zoneOf(override)}`);
    if (new Set(pools).size < pools.length) {
      return refuse('InvalidFleetConfig', 'The fleet configuration contains duplicate instance pools.');
    }
    const openFirst =
      textAt(form, 'OnDemandOptions', 'CapacityReservationOptions', 'UsageStrategy') ===
      'use-capacity-reservations-first';
    return { candidates, lifecycle, target, openFirst };
  }

  #zoneOf(override: Form): string {
    const subnet = textAt(override, 'SubnetId') ?? '';
    return this.#parts.world.account.subnets.get(subnet)?.zone.name ?? textAt(override, 'AvailabilityZone') ?? subnet;
  }

  /** By price, or by the caller's priorities when the strategy says so. */
  #inOrder<T extends { candidate: Candidate; launch: Launch }>(launches: T[], form: Form): T[] {
    const strategies = [
      textAt(form, 'OnDemandOptions', 'AllocationStrategy'),
      textAt(form, 'SpotOptions', 'AllocationStrategy'),
    ];
    const lifecycle = launches[0]?.launch.lifecycle;
    const strategy = lifecycle === 'spot' ? strategies[1] : strategies[0];
    if (strategy === 'prioritized' || strategy === 'capacity-optimized-prioritized') {
      return launches.toSorted((one, other) => one.candidate.priority - other.candidate.priority);
    }
    return launches.toSorted((one, other) => priceOf(one.launch) - priceOf(other.launch));
  }
}

const priceOf = ({ type, subnet, lifecycle, reservation }: Launch): number => {
  if (reservation !== undefined) return 0;
  return lifecycle === 'spot' ? spotPriceOf(type, subnet.zone.index) : type.price;
};

/** What a fault makes the cloud run out of. */
function scarcityOf(decision: FaultDecision, launch: Launch, living: number): Problem | undefined {
  const fault = decision.answer;
  if (fault?.kind === 'sold-out') return soldOut(launch.type, launch.subnet, launch.lifecycle);
  if (fault?.kind === 'quota' && living >= fault.limit)
    return launch.lifecycle === 'spot' ? maxSpotCount : vcpuLimit(fault.limit);
  if (fault?.kind === 'refused') return { code: fault.code, message: fault.message };
  const failing = decision.machine.find((one) => one.kind === 'operation-fails');
  return failing === undefined ? undefined : { code: failing.code, message: failing.message };
}

const wrongTagOf = (key: string, value: string): boolean =>
  key === '' || key.length > 128 || value.length > 256 || key.startsWith('aws:');

const shown = ({ template, override }: Candidate): Xml => ({
  launchTemplateSpecification: { launchTemplateId: template.id, version: '1' },
  overrides: {
    instanceType: textAt(override, 'InstanceType'),
    subnetId: textAt(override, 'SubnetId'),
    availabilityZone: textAt(override, 'AvailabilityZone'),
    priority: textAt(override, 'Priority'),
  },
});

/** One entry for each offering. */
function grouped(
  started: readonly { candidate: Candidate; launch: Launch; instance: Ec2Instance }[],
): { candidate: Candidate; launch: Launch; ids: string[] }[] {
  const groups = new Map<Candidate, { candidate: Candidate; launch: Launch; ids: string[] }>();
  for (const { candidate, launch, instance } of started) {
    const group = groups.get(candidate) ?? { candidate, launch, ids: [] };
    group.ids.push(instance.id);
    groups.set(candidate, group);
  }
  return [...groups.values()];
}

const fleetId = (count: number): string => {
  const hex = createHash('sha256').update(`fleet ${count}`).digest('hex');
  return `fleet-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};

/** Everything but the token itself and what says nothing about the fleet. */
function fingerprintOf(form: Form): string {
  const { ClientToken: _token, DryRun: _dryRun, Version: _version, ...rest } = form;
  return JSON.stringify(rest);
}
