/** What can be asked about instances, and done to them. */

import { type Ec2Instance, instanceXml, stateAt, stateXml } from './instance.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import type { AwsSettings } from './settings.ts';
import { type Outcome, type Problem, refuse } from './wire/answer.ts';
import { type Facts, filtersOf, fits, unknownFilter, withTags } from './wire/filters.ts';
import { type Form, tagsAt, textAt, textsAt } from './wire/form.ts';
import { pageOf } from './wire/pages.ts';
import { time } from './wire/xml.ts';
import type { AwsWorld } from './world.ts';

const mostIds = 1000;

export class InstanceCalls {
  readonly #world: AwsWorld;
  readonly #settings: AwsSettings;
  readonly #templates: LaunchTemplates;

  constructor(world: AwsWorld, settings: AwsSettings, templates: LaunchTemplates) {
    this.#world = world;
    this.#settings = settings;
    this.#templates = templates;
  }

  describe(form: Form, lagSeconds: number): Outcome {
    const found = this.#select(form, 'InstanceId', lagSeconds);
    if ('problem' in found) return found;
    const { account } = this.#world;
    return pageOf(form, found.instances, this.#settings.pageSize, (page, nextToken) => ({
      reservationSet: page.map((instance) => ({
        reservationId: `r-${instance.id.slice(2)}`,
        ownerId: account.id,
        groupSet: [],
        instancesSet: [instanceXml(instance, account, found.at)],
      })),
      nextToken,
    }));
  }

  describeStatus(form: Form, lagSeconds: number): Outcome {
    const found = this.#select(form, 'InstanceId', lagSeconds);
    if ('problem' in found) return found;
    const all = textAt(form, 'IncludeAllInstances') === 'true';
    const shown = found.instances.filter((instance) => all || stateAt(instance, found.at) === 'running');
    return pageOf(form, shown, this.#settings.pageSize, (page, nextToken) => ({
      instanceStatusSet: page.map((instance) => ({
        instanceId: instance.id,
        availabilityZone: instance.subnet.zone.name,
        instanceState: stateXml(stateAt(instance, found.at)),
        systemStatus: { status: 'ok' },
        instanceStatus: { status: 'ok' },
      })),
      nextToken,
    }));
  }

  /** All of them or none: one id that nobody knows fails the call. */
  terminate(form: Form): Outcome {
    const ids = textsAt(form, 'InstanceId');
    const found = this.#byIds(ids, this.#world.now);
    if ('problem' in found) return found;
    if (ids.length === 0) return refuse('MissingParameter', 'The request must contain the parameter InstanceIds');
    return {
      xml: {
        instancesSet: found.instances.map((instance) => {
          const previousState = stateXml(this.#world.stateNow(instance));
          this.#world.terminate(instance);
          return { instanceId: instance.id, currentState: stateXml(this.#world.stateNow(instance)), previousState };
        }),
      },
    };
  }

  tag(form: Form): Outcome {
    const tags = tagsAt(form, 'Tag');
    const instances: Ec2Instance[] = [];
    for (const id of textsAt(form, 'ResourceId')) {
      if (id.startsWith('lt-')) {
        const template = this.#templates.all.find((one) => one.id === id);
        if (template === undefined) return refuse('InvalidLaunchTemplateId.NotFound', `There is no template ${id}.`);
        Object.assign(template.tags, tags);
        continue;
      }
      const instance = this.#world.find(id);
      if (instance === undefined) return { problem: noSuchInstances([id]) };
      instances.push(instance);
    }
    for (const instance of instances) this.#world.setTags(instance, tags);
    return { xml: { return: true } };
  }

  #select(
    form: Form,
    idsAt: string,
    lagSeconds: number,
  ): { instances: readonly Ec2Instance[]; at: number } | { problem: Problem } {
    const at = this.#world.now - Math.round(lagSeconds * 1000);
    const ids = textsAt(form, idsAt);
    if (ids.length > 0 && textAt(form, 'MaxResults') !== undefined) {
      return refuse(
        'InvalidParameterCombination',
        'The parameter instancesSet cannot be used with the parameter maxResults',
      );
    }
    const filters = filtersOf(form);
    const some = ids.length > 0 ? this.#byIds(ids, at) : { instances: this.#world.candidates(filters) };
    if ('problem' in some) return some;
    const instances: Ec2Instance[] = [];
    for (const instance of some.instances) {
      // Made after the moment that is shown: nobody has heard of it yet.
      if (instance.record.createdAt > at) continue;
      const facts = factsOf(instance, at);
      const wrong = unknownFilter(filters, facts);
      if (wrong !== undefined) return { problem: wrongFilter(wrong) };
      if (fits(filters, facts)) instances.push(instance);
    }
    return { instances, at };
  }

  #byIds(ids: readonly string[], at: number): { instances: Ec2Instance[] } | { problem: Problem } {
    if (ids.length > mostIds) return refuse('InvalidParameterValue', `At most ${mostIds} instance IDs may be given.`);
    const malformed = ids.find((id) => !/^i-[0-9a-f]{8,17}$/.test(id));
    if (malformed !== undefined) return refuse('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
    const instances: Ec2Instance[] = [];
    const missing: string[] = [];
    for (const id of ids) {
      const instance = this.#world.find(id);
      if (instance === undefined || instance.record.createdAt > at) missing.push(id);
      else instances.push(instance);
    }
    return missing.length === 0 ? { instances } : { problem: noSuchInstances(missing) };
  }
}

const noSuchInstances = (ids: readonly string[]): Problem => ({
  code: 'InvalidInstanceID.NotFound',
  message:
    ids.length === 1
      ? `The instance ID '${ids[0]}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`,
});

export const wrongFilter = (name: string): Problem => ({
  code: 'InvalidParameterValue',
  message: `The filter '${name}' is invalid`,
});

function factsOf(instance: Ec2Instance, at: number): Facts {
  const { record, subnet } = instance;
  return withTags(instance.tags, (name) => {
    switch (name) {
      case 'instance-state-name':
        return stateAt(instance, at);
      case 'instance-id':
        return instance.id;
      case 'instance-type':
        return record.request.instanceType;
      case 'availability-zone':
        return subnet.zone.name;
      case 'subnet-id':
        return subnet.id;
      case 'image-id':
        return instance.imageId;
      case 'private-dns-name':
        return record.id;
      case 'private-ip-address':
        return instance.privateIp;
      case 'instance-lifecycle':
        return record.request.capacityType === 'spot' ? 'spot' : undefined;
      case 'client-token':
        return `fleet-${instance.fleetId.slice(6)}-0`;
      case 'launch-time':
        return time(record.createdAt);
      default:
        return null;
    }
  });
}
