/** Calls about agent pools, of both kinds, and about the operations that change them. */
import type { FaultDecision, FaultSubject, MachineFault } from '../kit/faults.ts';
import { aksRequest, aksWire, checkAksName } from './aks-body.ts';
import {
  type Answer,
  bare,
  empty,
  type JsonObject,
  json,
  type Problem,
  problemJson,
  retryAfter,
  wrapped,
} from './answer.ts';
import type { ArmRequest, Handling } from './api.ts';
import { arcRequest, arcWire, checkArcName } from './arc-body.ts';
import type { QuotaCheck } from './catalog/quota.ts';
import type { ArcSize, AzureSize } from './catalog/sizes.ts';
import type { AzureCluster } from './clusters.ts';
import { machineResourceId } from './machines.ts';
import type { Operation } from './operations.ts';
import { ownerTags, type Pool, type PoolRequest, type ProvisioningState, zoneLabel } from './pool.ts';
import { skuNotAvailable } from './refusals.ts';
import type { Verb } from './routes.ts';
import type { AzureSettings } from './settings.ts';
import type { AzureWorld, WriteOutcome } from './world.ts';

interface PoolCallParts {
  world: AzureWorld;
  settings: AzureSettings;
  sizes: ReadonlyMap<string, AzureSize>;
  arcSizes: ReadonlyMap<string, ArcSize>;
  quota: QuotaCheck;
  /** Of this server, without a slash at the end. */
  url: () => string;
}

const header = ({ headers }: ArmRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value.replace(/^W\//, '').replace(/^"(.*)"$/, '$1') : undefined;
};

export class PoolCalls {
  readonly #parts: PoolCallParts;

  constructor(parts: PoolCallParts) {
    this.#parts = parts;
  }

  list(cluster: AzureCluster, request: ArmRequest): Handling {
    return {
      kind: 'pools.list',
      operation: 'list',
      subject: {},
      cluster,
      perform: ({ lagSeconds }) => {
        const { settings, world, url } = this.#parts;
        const all = world.list(cluster, Math.max(lagSeconds, settings.listLagSeconds));
        const after = Number(request.query.get('$skiptoken') ?? 0);
        const rest = all.filter(({ pool }) => pool.seq > after);
        const page = rest.slice(0, settings.pageSize);
        const last = page.at(-1);
        const query = new URLSearchParams({
          'api-version': request.query.get('api-version') ?? '',
          $skiptoken: String(last?.pool.seq ?? 0),
        });
        return json(200, {
          value: page.map(({ pool, state }) => wire(pool, state)),
          ...(rest.length > page.length ? { nextLink: `${url()}${request.path}?${query}` } : {}),
        });
      },
    };
  }

  one(cluster: AzureCluster, name: string, verb: Verb, request: ArmRequest): Handling | undefined {
    const subject = this.#subjectOf(cluster, name);
    if (verb === 'GET') {
      const perform = (): Answer => {
        const pool = this.#parts.world.find(cluster, name);
        return pool === undefined ? this.#missing(cluster, name) : json(200, wire(pool), etagOf(pool));
      };
      return { kind: 'pools.get', operation: 'get', subject, cluster, perform };
    }
    if (verb === 'PUT') {
      const wish = this.#requestFrom(cluster, name, request.body);
      const put = (faults: readonly MachineFault[]) => this.#put(cluster, name, request, faults);
      return {
        kind: 'pools.put',
        operation: 'create',
        subject: 'request' in wish ? subjectFrom(cluster, wish.request) : subject,
        cluster,
        perform: ({ machine }) => put(machine),
        performLate: (faults, seconds) => this.#later(seconds, () => put(faults)),
      };
    }
    if (verb !== 'DELETE') return undefined;
    const remove = (faults: readonly MachineFault[]) => this.#delete(cluster, name, request, faults);
    return {
      kind: 'pools.delete',
      operation: 'delete',
      subject,
      cluster,
      perform: ({ machine }: FaultDecision) => remove(machine),
      performLate: (faults, seconds) => this.#later(seconds, () => remove(faults)),
    };
  }

  machines(cluster: AzureCluster, name: string): Handling {
    return {
      kind: 'machines.list',
      operation: 'get',
      subject: this.#subjectOf(cluster, name),
      cluster,
      perform: () => {
        const pool = this.#parts.world.find(cluster, name);
        if (pool === undefined) return this.#missing(cluster, name);
        const value = pool.machines
          .map((machine, index) => ({ machine, index }))
          .filter(({ machine }) => machine.goneAt === null)
          .map(({ machine, index }) => ({
            id: `${cluster.id}/agentPools/${name}/machines/${machine.id}`,
            name: machine.id,
            type: 'Microsoft.ContainerService/managedClusters/agentPools/machines',
            zones: pool.request.zone === '' ? [] : [pool.request.zone],
            properties: { network: { ipAddresses: [] }, resourceId: machineResourceId(pool, index) },
          }));
        return json(200, { value });
      },
    };
  }

  operation(id: string, style: 'status' | 'result'): Handling {
    const { world } = this.#parts;
    const known = world.operations.find(id);
    return {
      kind: 'operations.get',
      operation: 'get',
      subject: known?.pool === undefined ? {} : subjectFrom(known.cluster, known.pool.request),
      cluster: known?.cluster,
      perform: () => {
        const operation = world.operations.find(id);
        if (operation === undefined) {
          const message = `The operation '${id}' was not found: it does not exist or has expired.`;
          return wrapped(404, { code: 'OperationNotFound', message });
        }
        return style === 'status' ? this.#status(operation) : this.#result(operation);
      },
    };
  }

  /** Both URLs of an operation, under the resource provider's own path. */
  operationHeaders(operation: Operation, styles: readonly ('status' | 'result')[]): Record<string, string> {
    const { cluster, id } = operation;
    const provider = cluster.kind === 'aks' ? 'Microsoft.ContainerService' : 'Microsoft.HybridContainerService';
    const base = `${this.#parts.url()}/subscriptions/${cluster.subscription}/providers/${provider}/locations/${cluster.location}`;
    const version = cluster.kind === 'aks' ? '2016-03-30' : '2024-01-01';
    return {
      ...(styles.includes('status')
        ? { 'azure-asyncoperation': `${base}/operations/${id}?api-version=${version}` }
        : {}),
      ...(styles.includes('result') ? { location: `${base}/operationresults/${id}?api-version=${version}` } : {}),
      ...retryAfter(this.#parts.settings.retryAfterSeconds),
    };
  }

  #later(seconds: number, act: () => void): void {
    const { world } = this.#parts;
    world.plan(world.now + Math.round(seconds * 1000), act);
  }

  #put(cluster: AzureCluster, name: string, request: ArmRequest, faults: readonly MachineFault[]): Answer {
    const { world, settings, quota } = this.#parts;
    const existing = world.find(cluster, name);
    const conditional = cluster.kind === 'aks';
    const badName = conditional ? checkAksName(name) : checkArcName(name);
    if (badName !== undefined) return this.#refuse(cluster, 400, badName);
    if (conditional) {
      const ifMatch = header(request, 'if-match');
      const wrong =
        (header(request, 'if-none-match') === '*' && existing !== undefined) ||
        (ifMatch !== undefined && ifMatch !== existing?.etag && !(ifMatch === '*' && existing !== undefined));
      if (wrong) return this.#preconditionFailed(cluster, name);
    }
    const wish = this.#requestFrom(cluster, name, request.body);
    if ('problem' in wish) return this.#refuse(cluster, 400, wish.problem);
    const plan = [...faults];
    const scarce =
      existing === undefined ? (this.#scarce(cluster, wish.request) ?? quota.check(cluster, wish.request)) : undefined;
    if (scarce !== undefined) {
      const { code, message } = scarce;
      if (settings.quotaAt === 'put') return this.#refuse(cluster, settings.quotaWords === 'aks' ? 400 : 409, scarce);
      plan.push({ kind: 'operation-fails', code, message });
    }
    return this.#begun(world.put(cluster, name, wish.request, plan), (begun) =>
      json(begun.created ? 201 : 200, wire(begun.pool), {
        ...etagOf(begun.pool),
        ...this.operationHeaders(begun.operation, ['status']),
      }),
    );
  }

  #delete(cluster: AzureCluster, name: string, request: ArmRequest, faults: readonly MachineFault[]): Answer {
    const { world, settings } = this.#parts;
    const pool = world.find(cluster, name);
    const ifMatch = cluster.kind === 'aks' ? header(request, 'if-match') : undefined;
    if (pool === undefined) {
      if (ifMatch !== undefined && ifMatch !== '*') return this.#preconditionFailed(cluster, name);
      return settings.deleteOfNone === 204 ? empty(204) : this.#missing(cluster, name);
    }
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== pool.etag)
      return this.#preconditionFailed(cluster, name);
    return this.#begun(world.delete(pool, faults), ({ operation }) =>
      empty(202, this.operationHeaders(operation, cluster.kind === 'aks' ? ['status', 'result'] : ['result'])),
    );
  }

  #begun(outcome: WriteOutcome, answer: (begun: Extract<WriteOutcome, { result: 'begun' }>) => Answer): Answer {
    return outcome.result === 'begun' ? answer(outcome) : this.#refuse(outcome.cluster, 409, outcome.problem);
  }

  /** A size that is not to be had in the zone that was asked for. */
  #scarce(cluster: AzureCluster, request: PoolRequest): Problem | undefined {
    if (cluster.kind === 'arc') return undefined;
    const size = this.#parts.sizes.get(request.vmSize.toLowerCase());
    const { restricted } = size ?? {};
    if (restricted === undefined || restricted === 'subscription' || !restricted.includes(request.zone))
      return undefined;
    return skuNotAvailable(request.vmSize, cluster.location);
  }

  #requestFrom(cluster: AzureCluster, name: string, body: unknown): { request: PoolRequest } | { problem: Problem } {
    const { world, sizes, arcSizes } = this.#parts;
    const existing = world.find(cluster, name);
    return cluster.kind === 'aks'
      ? aksRequest(body, sizes, cluster.location, existing)
      : arcRequest(body, cluster, arcSizes, existing);
  }

  #subjectOf(cluster: AzureCluster, name: string): FaultSubject {
    const pool = this.#parts.world.find(cluster, name);
    return pool === undefined ? {} : subjectFrom(cluster, pool.request);
  }

  #status(operation: Operation): Answer {
    const { settings } = this.#parts;
    const { id, status, startedAt, endedAt, problem } = operation;
    return json(
      200,
      {
        name: id,
        status,
        startTime: new Date(startedAt).toISOString(),
        ...(endedAt === null ? {} : { endTime: new Date(endedAt).toISOString() }),
        ...(problem === undefined ? {} : { error: problemJson(problem) }),
        ...(operation.output === undefined || status !== 'Succeeded' ? {} : { properties: operation.output }),
      },
      status === 'InProgress' ? retryAfter(settings.retryAfterSeconds) : {},
    );
  }

  /** The older way of asking: 202 until it is over, then the result itself. */
  #result(operation: Operation): Answer {
    const { status, kind, pool, problem, cluster, output } = operation;
    if (status === 'InProgress') return empty(202, this.operationHeaders(operation, ['result']));
    if (problem !== undefined) return this.#refuse(cluster, 409, problem);
    if (output !== undefined) return json(200, output);
    return kind === 'delete' || pool === undefined ? empty(204) : json(200, wire(pool));
  }

  #missing(cluster: AzureCluster, name: string): Answer {
    if (cluster.kind === 'arc') {
      const resource = `Microsoft.HybridContainerService/provisionedClusterInstances/default/agentPools/${name}`;
      const message = `The Resource '${resource}' under resource group '${cluster.resourceGroup}' was not found. It could not be found.`;
      return this.#refuse(cluster, 404, { code: 'ResourceNotFound', message });
    }
    const message = `Agent Pool not found: could not find the agent pool ${name} in the managed cluster ${cluster.name}.`;
    return this.#refuse(cluster, 404, { code: 'NotFound', message, subcode: 'GetAgentPool_NotFound' });
  }

  #preconditionFailed(cluster: AzureCluster, name: string): Answer {
    const message = `The precondition of the request is not met by the agent pool ${name}.`;
    return this.#refuse(cluster, 412, { code: 'PreconditionFailed', message });
  }

  #refuse(cluster: AzureCluster, status: number, problem: Problem): Answer {
    return cluster.kind === 'aks' && this.#parts.settings.aksErrors === 'bare'
      ? bare(status, problem)
      : wrapped(status, problem);
  }
}

const wire = (pool: Pool, state: ProvisioningState = pool.state): JsonObject =>
  pool.cluster.kind === 'aks' ? aksWire(pool, state) : arcWire(pool, state);

const etagOf = (pool: Pool): Record<string, string> => (pool.cluster.kind === 'aks' ? { etag: `"${pool.etag}"` } : {});

const subjectFrom = (cluster: AzureCluster, request: PoolRequest): FaultSubject => ({
  offering: {
    instanceType: request.vmSize,
    zone: zoneLabel(cluster, request.zone),
    capacityType: request.capacityType,
  },
  claimUid: request.tags[ownerTags.claimUid],
  claimName: request.tags[ownerTags.claim],
});
