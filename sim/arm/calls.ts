/** From a request to its answer: what Azure Resource Manager does for whole clusters. */
import { asObject, type JsonObject } from '../../shared/base/json.ts';
import { type AzureResource, keyOf, tagsOf } from '../aso/azure/resource.ts';
import type { AzureWorld, Put } from '../aso/azure/world.ts';
import { asoKinds } from '../aso/kinds.ts';
import type { NewClusters } from '../aso/new-clusters/new-clusters.ts';
import type { AsoSettings } from '../aso/settings.ts';
import { type Answer, bare, empty, json, retryAfter, wrapped } from '../azure/answer.ts';
import type { ArmFault } from './faults.ts';
import { nodeGroups } from './node-group.ts';
import { offer } from './offers.ts';
import type { Route } from './routes.ts';
import { etagOf, flat, isBelow, isPart, listOf, shown, types } from './shapes.ts';

export interface ArmRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

export interface CallParts {
  azure: AzureWorld;
  clusters: NewClusters;
  settings: AsoSettings;
  pageSize: number;
  url: () => string;
}

const missing = (code: string, message: string): Answer => wrapped(404, { code, message });
const notAllowed = (method: string): Answer =>
  wrapped(405, { code: 'MethodNotAllowed', message: `${method} is not allowed here.` });

export class ArmCallHandler {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  async answer(route: Route, request: ArmRequest, fault: ArmFault | undefined): Promise<Answer> {
    const { azure } = this.#parts;
    switch (route.to) {
      case 'resource':
        return this.#resource(route, request, fault);
      case 'groups':
        return this.#page(request, [...this.#of(types.group), ...nodeGroups(azure.living()).groups]);
      case 'resources': {
        const listed = azure.living().filter(({ type }) => !isPart(type));
        const all = [...listed.map((one) => shown(one)), ...nodeGroups(azure.living()).resources];
        return this.#page(
          request,
          all.filter(({ id }) => isBelow(String(id), route.above)),
        );
      }
      case 'list':
        return this.#list(route, request);
      case 'tags':
        return this.#tags(route.id, request);
      case 'credentials':
        return this.#credentials(route, request);
      case 'operation':
        return this.#operationStatus(route.id);
      case 'offer':
        return this.#offer(route, request);
    }
  }

  #offer({ what, location }: Extract<Route, { to: 'offer' }>, { method, query }: ArmRequest): Answer {
    if (method !== 'GET') return notAllowed(method);
    const { azure, settings } = this.#parts;
    // Sizes are asked for with a filter, the others by their path.
    const [, filtered] = /^location eq '([^']*)'$/.exec(query.get('$filter') ?? '') ?? [];
    return offer({ what, location: (filtered ?? location).toLowerCase() }, { settings, living: () => azure.living() });
  }

  #of(type: string): JsonObject[] {
    return this.#parts.azure
      .living()
      .filter((one) => one.type === type)
      .map((one) => shown(one));
  }

  #resource({ id, type }: { id: string; type: string }, request: ArmRequest, fault: ArmFault | undefined): Answer {
    const { azure } = this.#parts;
    const found = azure.get(id);
    switch (request.method) {
      case 'GET':
        return found === undefined ? this.#absent(id, type) : json(200, shown(found, this.#poolsOf(found)));
      case 'PUT':
        return this.#put({ id, type }, found, request, fault);
      case 'DELETE':
        return this.#delete(id, found, fault);
      default:
        return notAllowed(request.method);
    }
  }

  #absent(id: string, type: string): Answer {
    const name = id.split('/').at(-1) ?? '';
    const group = id.split('/').slice(0, 5).join('/');
    if (type === types.group || this.#parts.azure.get(group) === undefined) {
      return missing('ResourceGroupNotFound', `Resource group '${group.split('/').at(-1)}' could not be found.`);
    }
    return missing('ResourceNotFound', `The Resource '${type}/${name}' under resource group was not found.`);
  }

  #poolsOf({ id, type }: AzureResource): AzureResource[] {
    if (type !== types.cluster) return [];
    return this.#parts.azure.living().filter((one) => one.type === types.pool && isBelow(one.id, id));
  }

  #put(
    { id, type }: { id: string; type: string },
    found: AzureResource | undefined,
    { headers, body }: ArmRequest,
    fault: ArmFault | undefined,
  ): Answer {
    const { azure, settings } = this.#parts;
    const given = asObject(body) as JsonObject | undefined;
    if (given === undefined) {
      return wrapped(400, { code: 'InvalidRequestContent', message: 'The request content was invalid.' });
    }
    if (type === types.cluster || type === types.pool) {
      const stale = found === undefined ? headers['if-match'] !== undefined : !matches(found, headers);
      if (stale) return bare(412, { code: 'PreconditionFailed', message: 'The condition of the request is not met.' });
    }
    const kind = asoKinds.find((one) => one.type === type);
    const usual = found === undefined ? settings.durations[kind?.takes ?? 'small'] : settings.durations.update;
    const seconds = fault?.kind === 'stuck' ? null : usual + (fault?.kind === 'slow' ? fault.seconds : 0);
    const put: Put = {
      id,
      type,
      body: this.#kept(type, found, flat(given)),
      seconds: isInstant(type) ? 0 : seconds,
      ...(fault?.kind === 'operation-fails' ? { failure: { code: fault.code, message: fault.message } } : {}),
    };
    const answer = azure.put(put);
    if ('refused' in answer) {
      const { status, code, message } = answer.refused;
      return wrapped(status, { code, message });
    }
    const made = azure.get(id);
    if (made === undefined) return this.#absent(id, type);
    return json(found === undefined ? 201 : 200, shown(made, this.#poolsOf(made)), this.#operation(answer.accepted));
  }

  /** Pools that have been made by themselves come back with their cluster, and are not part of it. */
  #kept(type: string, found: AzureResource | undefined, body: JsonObject): JsonObject {
    if (type !== types.cluster || found === undefined) return body;
    const separate = new Set(this.#poolsOf(found).map(({ name }) => name));
    const own = listOf(body.agentPoolProfiles).filter(({ name }) => !separate.has(String(name)));
    return { ...body, agentPoolProfiles: own };
  }

  #delete(id: string, found: AzureResource | undefined, fault: ArmFault | undefined): Answer {
    const { azure, settings } = this.#parts;
    if (found === undefined) return empty(204);
    const large = found.type === types.cluster || found.type === types.group;
    const usual = settings.durations[large ? 'delete' : 'small'];
    const seconds = fault?.kind === 'stuck' ? null : usual + (fault?.kind === 'slow' ? fault.seconds : 0);
    const failure = fault?.kind === 'operation-fails' ? { code: fault.code, message: fault.message } : undefined;
    const answer = azure.remove(id, isInstant(found.type) ? 0 : seconds, failure);
    if (answer === undefined) return empty(204);
    if ('refused' in answer) {
      return wrapped(answer.refused.status, { code: answer.refused.code, message: answer.refused.message });
    }
    return empty(azure.get(id) === undefined ? 200 : 202, this.#operation(answer.accepted));
  }

  #operation(id: string): Record<string, string> {
    const path = `/subscriptions/${this.#parts.settings.subscription}/operations/${id}`;
    return { 'azure-asyncoperation': `${this.#parts.url()}${path}?api-version=2021-04-01`, ...retryAfter(1) };
  }

  #operationStatus(id: string): Answer {
    const found = this.#parts.azure.operation(id);
    if (found === undefined) return missing('NotFound', `There is no operation ${id}.`);
    if (found.state === 'InProgress') return json(200, { name: id, status: 'InProgress' }, retryAfter(1));
    if (found.state === 'Succeeded') return json(200, { name: id, status: 'Succeeded' });
    const { code, message } = found;
    return json(200, { name: id, status: 'Failed', error: { code, message } });
  }

  #list({ above, type }: { above: string; type: string }, request: ArmRequest): Answer {
    const { azure } = this.#parts;
    const isSubscription = above.split('/').length === 3;
    const parent = isSubscription ? undefined : azure.get(above);
    if (!isSubscription && parent === undefined) return this.#absent(above, '');
    const there = azure
      .living()
      .filter((one) => one.type === type && isBelow(one.id, above))
      .map((one) => shown(one));
    const inline = type === types.pool ? listOf(parent?.body.agentPoolProfiles) : [];
    const pools = inline.map(({ name, ...properties }) => ({
      id: `${above}/agentPools/${String(name)}`,
      name: String(name),
      type,
      properties: { ...properties, provisioningState: parent?.state ?? '' },
    }));
    return this.#page(request, [...pools, ...there]);
  }

  /** With the filters that are known: by a tag, and by a principal. */
  #page({ path, query }: ArmRequest, all: readonly JsonObject[]): Answer {
    const { pageSize, url } = this.#parts;
    const filter = query.get('$filter');
    const wanted = filter === null ? all : all.filter((one) => fits(one, filter));
    const from = Number(query.get('$skiptoken') ?? '0');
    const value = wanted.slice(from, from + pageSize);
    const next = new URLSearchParams(query);
    next.set('$skiptoken', String(from + pageSize));
    const more = from + pageSize < wanted.length ? { nextLink: `${url()}${path}?${next}` } : {};
    return json(200, { value, ...more });
  }

  #tags(id: string, { method, body }: ArmRequest): Answer {
    const { azure } = this.#parts;
    if (method !== 'PATCH') return notAllowed(method);
    const found = azure.get(id);
    if (found === undefined) return this.#absent(id, '');
    const { operation, properties } = (asObject(body) ?? {}) as { operation?: string; properties?: JsonObject };
    const given = asObject(properties?.tags) ?? {};
    const before = tagsOf(found.body);
    const kept = Object.entries(before).filter(([key, value]) => operation !== 'Delete' || given[key] !== value);
    const after =
      operation === 'Delete' ? Object.fromEntries(kept) : operation === 'Merge' ? { ...before, ...given } : given;
    azure.setTags(id, after);
    return json(200, { id: `${id}/providers/Microsoft.Resources/tags/default`, properties: { tags: after } });
  }

  async #credentials({ id, admin }: { id: string; admin: boolean }, { method }: ArmRequest): Promise<Answer> {
    if (method !== 'POST') return notAllowed(method);
    const { azure, clusters } = this.#parts;
    const found = azure.get(id);
    if (found === undefined) return this.#absent(id, types.cluster);
    if (admin && found.body.disableLocalAccounts === true) {
      const message = 'Getting static credential is not allowed because this cluster is set to disable local accounts.';
      return bare(400, { code: 'BadRequest', message });
    }
    if (Object.keys(found.facts).length === 0) {
      return bare(404, { code: 'NotFound', message: `The cluster ${found.name} has no credential yet.` });
    }
    await clusters.ensure(found);
    const value = Buffer.from(clusters.kubeconfig(id) ?? '').toString('base64');
    return json(200, { kubeconfigs: [{ name: admin ? 'clusterAdmin' : 'clusterUser', value }] });
  }
}

const isInstant = (type: string): boolean =>
  ([types.identity, types.credential, types.role] as string[]).includes(type);

function matches(found: AzureResource, headers: ArmRequest['headers']): boolean {
  if (headers['if-none-match'] === '*') return false;
  const wanted = headers['if-match'];
  return wanted === undefined || wanted === etagOf(found);
}

function fits(one: JsonObject, filter: string): boolean {
  const principal = /^principalId eq '(.*)'$/.exec(filter);
  if (principal !== null) return asObject(one.properties)?.principalId === principal[1];
  const tag = /^tagName eq '([^']*)'(?: and tagValue eq '([^']*)')?$/.exec(filter);
  if (tag === null) return false;
  const [, name = '', value] = tag;
  // Names of tags are the same in whatever case.
  const found = Object.entries(asObject(one.tags) ?? {}).find(([key]) => keyOf(key) === keyOf(name));
  return found !== undefined && (value === undefined || found[1] === value);
}
