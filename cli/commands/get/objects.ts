/** `get` for what the cluster itself has: claims and nodes. Listed in pages, got by name, or watched. */
import type { ClusterApi, KubeObject, Resource } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { withCluster } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { mustBeCluster } from '../../reach/which-cluster.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Listing, printListing } from '../../terminal/output/formats.ts';
import { hinted, UserError } from '../../terminal/user-error.ts';
import type { Getting } from './getting.ts';
import { unknownLabels } from './unknown-labels.ts';

export interface ObjectKind<T extends KubeObject, Row> extends Omit<Listing<Row>, 'rows'> {
  resource: Resource;
  /** The code for a name that is not there. */
  unknown: 'UnknownClaim' | 'UnknownNode' | 'UnknownPool';
  row(object: T): Row;
  /** How a row looks whose object is gone. */
  gone(row: Row): Row;
  /** Whether it is asked for, beside labels and names. */
  wanted?(row: Row): boolean;
  /** What rows lack, and another list knows. */
  complete?(api: ClusterApi, rows: Row[]): Promise<void>;
  /** More to say where there is none. */
  whenEmpty?(api: ClusterApi): Promise<string>;
}

export async function getObjects<T extends KubeObject, Row>(
  getting: Getting,
  kind: ObjectKind<T, Row>,
): Promise<number> {
  const { options, names } = getting;
  if (names.length > 0 && options.selector !== undefined) {
    throw new UserError('Pass names or -l, not both.', {
      code: 'InvalidOption',
      exitCode: exitCodes.misused,
    });
  }
  return withCluster(options, async (api) => {
    const { cluster } = options;
    if (cluster !== undefined) await withHostApi(options, (host) => mustBeCluster(host, api, cluster));
    if (options.watch) return (await import('./watch-objects.ts')).watchObjects(api, getting, kind);
    return names.length > 0 ? named(api, getting, kind) : all(api, getting, kind);
  });
}

async function all<T extends KubeObject, Row>(
  api: ClusterApi,
  { options, terminal }: Getting,
  kind: ObjectKind<T, Row>,
): Promise<number> {
  const { selector } = options;
  let rows: Row[] = [];
  const listed = await listAll<T>(api, kind.resource, selector === undefined ? {} : { labelSelector: selector }, {
    onStart: () => {
      rows = [];
    },
    onItem: (object) => {
      const row = kind.row(object);
      if (kind.wanted?.(row) !== false) rows.push(row);
    },
  });
  if (!listed.ok) throw clusterProblem(listed.error, api, kind.resource);
  await kind.complete?.(api, rows);
  const doubt = rows.length === 0 ? await whyEmpty(api, kind, selector) : '';
  await printListing({ ...kind, rows, empty: kind.empty + doubt }, options.output, terminal);
  return exitCodes.done;
}

const whyEmpty = async <T extends KubeObject, Row>(
  api: ClusterApi,
  kind: ObjectKind<T, Row>,
  selector: string | undefined,
): Promise<string> =>
  selector === undefined ? ((await kind.whenEmpty?.(api)) ?? '') : unknownLabels(api, kind.resource, selector);

/** As kubectl has it: what is there is printed, what is not is a failure. */
async function named<T extends KubeObject, Row>(
  api: ClusterApi,
  { options, names, terminal }: Getting,
  kind: ObjectKind<T, Row>,
): Promise<number> {
  const rows: Row[] = [];
  const missing: string[] = [];
  for (const name of new Set(names)) {
    const got = await api.get<T>(kind.resource, { name });
    if (got.ok) rows.push(kind.row(got.value));
    else if (got.error.kind === 'not-found') missing.push(name);
    else throw clusterProblem(got.error, api, kind.resource);
  }
  await kind.complete?.(api, rows);
  if (rows.length > 0 || missing.length === 0) await printListing({ ...kind, rows }, options.output, terminal);
  if (missing.length === 0) return exitCodes.done;
  const { nearestName } = await import('../../reach/nearest-name.ts');
  const lines = missing.map(async (name) => ({
    text: `There is no ${kind.resource.kind} ${JSON.stringify(name)}`,
    hint: await nearestName(api, kind.resource, name),
  }));
  throw hinted(await Promise.all(lines), kind.unknown);
}
