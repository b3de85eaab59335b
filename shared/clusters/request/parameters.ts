/**
 * A request from flat parameters, as internal platforms send them: in kebab case from a workflow, in camel case from an API. Booleans may
 * be texts there. What is unknown is named, and nothing is ignored.
 */
import { isObject } from '../../base/json.ts';
import { type Checked, misspelled, type Problem, quoteInput } from '../../base/problems.ts';
import { clusterRequestApiVersion, clusterRequestKind } from './kind.ts';
import { type Parameter, spellings } from './parameter-names.ts';
import type { ClusterRequest } from './request.ts';
import type { ClusterRequestSpec } from './schema.ts';

const parameterOf: ReadonlyMap<string, Parameter> = new Map(
  (Object.keys(spellings) as Parameter[]).flatMap((name) => [
    [name, name],
    [spellings[name], name],
  ]),
);

/** An object that can only be a list of parameters: it has no kind, and names a cluster. */
export const looksLikeParameters = (value: unknown): value is { [name: string]: unknown } =>
  isObject(value) &&
  value.kind === undefined &&
  value.apiVersion === undefined &&
  Object.keys(value).some((key) => parameterOf.has(key));

/** @param namespace The team: parameters do not say whose they are. */
export function requestFromParameters(
  given: { readonly [name: string]: unknown },
  namespace: string,
): Checked<ClusterRequest> {
  const problems: Problem[] = [];
  const read = new Map<Parameter, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const parameter = parameterOf.get(key);
    if (parameter === undefined) problems.push(misspelled(key, 'there is no such parameter', key, parameterOf.keys()));
    else if (read.has(parameter))
      problems.push({ path: key, message: `is given twice, as ${parameter} and as ${spellings[parameter]}` });
    else read.set(parameter, value);
  }
  const spelled = (name: Parameter): string => (Object.hasOwn(given, spellings[name]) ? spellings[name] : name);
  const text = (name: Parameter): string | undefined => {
    const value = read.get(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value.trim();
    // YAML reads 1000 as a number, which is what is meant. It reads 1.30 as 1.3, which is not.
    if (typeof value === 'number' && name !== 'kubernetesVersion') return String(value);
    problems.push({ path: spelled(name), message: `must be a text in quotes, but it is ${quoteInput(value)}` });
    return undefined;
  };
  const flag = (name: Parameter): boolean | undefined => {
    const value = read.get(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    problems.push({ path: spelled(name), message: `must be true or false, but it is ${quoteInput(value)}` });
    return undefined;
  };

  const clusterName = text('clusterName');
  const location = text('location');
  if (clusterName === undefined) problems.push({ path: 'clusterName', message: 'is required' });
  if (location === undefined) problems.push({ path: 'location', message: 'is required' });
  const nap = flag('enableNAP');
  const dryRun = flag('dryRun');
  const version = text('kubernetesVersion');
  const vmSizes = [text('primaryVmSize'), text('secondaryVmSize')].filter((one) => one !== undefined);
  const limits = compact({ cpu: text('maxCpu'), memory: text('maxMemory') });
  const nodePool = compact({
    type: text('nodePoolType'),
    vmSizes: vmSizes.length === 0 ? undefined : [...new Set(vmSizes)],
    family: text('skuFamily'),
    limits: Object.keys(limits).length === 0 ? undefined : limits,
  });
  const systemVmSize = text('systemVmSize');
  if (problems.length > 0 || clusterName === undefined || location === undefined) return { ok: false, problems };
  const name = objectNameOf(clusterName);
  const spec = compact({
    clusterName: name === clusterName ? undefined : clusterName,
    location,
    kubernetesVersion: version,
    nodes: nap === undefined ? undefined : nap ? 'nap' : 'agentPools',
    nodePool: Object.keys(nodePool).length === 0 ? undefined : nodePool,
    systemPool: systemVmSize === undefined ? undefined : { vmSize: systemVmSize },
    dryRun,
  }) as ClusterRequestSpec;
  const { kind } = clusterRequestKind;
  return { ok: true, value: { apiVersion: clusterRequestApiVersion, kind, metadata: { name, namespace }, spec } };
}

/** Azure allows upper case and underscores in the name of a cluster, Kubernetes does not. */
const objectNameOf = (clusterName: string): string =>
  clusterName
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');

const compact = (fields: { [name: string]: unknown }): { [name: string]: unknown } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
