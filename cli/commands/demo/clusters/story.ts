/**
 * The story of whole clusters: a request that fails and says why, a host that dies while a cluster is made, and a cluster that gets nodes.
 * Every statement is looked up in the management cluster, in the new cluster and in Azure's ledger at the moment it is made.
 */
import { diagnosisLines, explain } from '../../../../shared/clusters/explain/explain.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import type { Node } from '../../../../shared/nodes/claims/spec/types.ts';
import type { Frame } from '../frame.ts';
import { NotSo } from '../story.ts';
import { failedStage, isReady } from './rows.ts';
import type { RequestSight, RequestWorld } from './world.ts';

export interface RequestStage extends Frame<RequestSight> {
  world: RequestWorld;
  now(): number;
}

/** Poolwright makes the nodes of this one. */
export const served = 'shop';
const refused = 'lab';
const replicas = 2;
export const location = 'westeurope';

export async function tellRequestStory(stage: RequestStage): Promise<void> {
  const { world, until, beat, chapter, statement } = stage;
  chapter('the host starts, next to a management cluster with Azure Service Operator');
  let host = await stage.startHost();
  statement(`the host runs as process ${host.pid}; no cluster exists`, (await world.look()).living.length === 0);

  chapter(`two requests: ${served}, whose nodes Poolwright makes, and ${refused}, for which the quota is too small`);
  await beat();
  world.refuseForQuota(refused);
  await world.create(served, { location, kubernetesVersion: '1.35', nodes: 'poolwright', nodePool: { replicas } });
  await world.create(refused, { location, kubernetesVersion: '1.35' });

  const making = await until(`Azure makes the cluster ${served}`, ({ living }) =>
    living.some(({ type, name }) => type.endsWith('/managedClusters') && name === served),
  );
  const end = await host.kill();
  const unready = making.requests.every((one) => !isReady(one));
  statement(
    `process ${host.pid} was killed with kill -9 while Azure made ${served}; ${making.living.length} resources exist`,
    end === 'SIGKILL' && unready && making.living.length > 0,
  );
  await beat();
  host = await stage.startHost();
  statement(`the host is up again, as process ${host.pid}`, true);

  chapter(`${refused} waits: the reason is on the request`);
  const failed = await until(`${refused} says why`, (sight) => said(sight, refused, stage.now()) !== undefined);
  for (const line of said(failed, refused, stage.now()) ?? []) statement(line, true);

  chapter(`${served} becomes Ready, and its NodePool brings up nodes`);
  const ready = await until(`${served} is Ready`, (sight) => isReady(requestIn(sight, served)));
  statement(
    `${served} is Ready, in ${stagesOf(requestIn(ready, served))} stages; Azure has one cluster of that name`,
    ready.living.filter(({ type }) => type.endsWith('/managedClusters')).length === 1,
  );
  const nodes = await until(`${replicas} nodes of the pool are Ready`, async ({ machines }) => {
    const joined = (await world.nodesOf(served)).filter((node) => isReadyNode(node) && isOfPool(node));
    return joined.length === replicas && machines === replicas;
  });
  statement(
    `the static pool of ${served} has ${replicas} Ready nodes, on agent pools in AKS`,
    nodes.machines === replicas,
  );

  chapter(`the quota is raised; ${refused} is tried again`);
  await beat();
  world.raiseQuota();
  await world.annotate(refused, { 'poolwright.dev/retry': 'quota raised' });
  const both = await until('both are Ready', ({ requests }) => requests.every(isReady));
  statement('both requests are Ready', both.requests.length === 2);

  chapter('both requests are deleted');
  await beat();
  for (const name of [served, refused]) await world.remove(name);
  await until('nothing is left', (sight) => sight.requests.length + sight.living.length + sight.machines === 0);
  statement('both requests are gone, and everything in Azure with them', true);
  chapter('the end');
}

function requestIn({ requests }: RequestSight, name: string): StoredRequest {
  const request = requests.find(({ metadata }) => metadata.name === name);
  if (request === undefined) throw new NotSo(`the management cluster has no request ${name}`);
  return request;
}

/** What `poolwright clusters explain` says of a failure, in three lines; undefined while nothing is wrong. */
function said(sight: RequestSight, name: string, now: number): readonly string[] | undefined {
  const request = requestIn(sight, name);
  const diagnosis = explain(request, { now });
  const isWrong = diagnosis.well !== true && (failedStage(request) !== undefined || diagnosis.stage !== undefined);
  return isWrong && diagnosis.code !== undefined ? diagnosisLines(request, diagnosis) : undefined;
}

const stagesOf = ({ status }: StoredRequest): number =>
  status?.stages?.filter(({ state }) => state === 'Succeeded').length ?? 0;

const isOfPool = ({ metadata }: Node): boolean => metadata.labels?.['karpenter.sh/nodepool'] !== undefined;

const isReadyNode = ({ status }: Node): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
