/** ManagedCluster in the API version that Poolwright writes, with what Azure would refuse. */
import { asObject } from '../../base/json.ts';
import { quoteInput } from '../../base/problems.ts';
import { asoKinds } from '../manifests/api-versions.ts';
import { usualDnsPrefix } from '../resolved/names.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Report } from '../rules/finding.ts';
import { checkSystemPool } from '../rules/system-pool.ts';
import type { Converted, Fields, Note, Notes } from './note.ts';
import { asExpression, hasPlaceholder, isGoTemplate } from './placeholders.ts';

const { group, versions } = asoKinds.ManagedCluster;
const today = `${group}/${versions[0]?.version}`;
const booleans = ['enableAutoScaling', 'enableFIPS', 'enableEncryptionAtHost', 'enableNodePublicIP', 'enableUltraSSD'];
const integers = ['count', 'minCount', 'maxCount', 'maxPods', 'osDiskSizeGB'];

export function convertManagedCluster(given: Fields): Converted {
  const notes: Note[] = [];
  const note: Notes = (kind, field, text) => void notes.push({ kind, field, text });
  const { status: _, ...object } = structuredClone(given);
  const old = versions.find((one) => `${group}/${one.version}` === given.apiVersion);
  if (given.apiVersion !== today && (old === undefined || 'removedIn' in old)) {
    const since = old !== undefined && 'removedIn' in old ? ` since Azure Service Operator ${old.removedIn}` : '';
    note('changed', 'apiVersion', `${quoteInput(given.apiVersion)} has not been served${since}: now ${today}`);
    object.apiVersion = today;
  }
  const spec = asObject(object.spec) ?? {};
  object.spec = spec;
  addDnsPrefix(object, spec, note);
  const provisioning = asObject(spec.nodeProvisioningProfile);
  if (provisioning !== undefined && provisioning.mode !== 'Manual' && provisioning.defaultNodePools === undefined) {
    const text =
      'AKS adds the NodePools default and system-surge; set defaultNodePools: None if yours should be the only ones';
    note('advice', 'spec.nodeProvisioningProfile', text);
  }
  const pools = Array.isArray(spec.agentPoolProfiles) ? spec.agentPoolProfiles : [];
  for (const [index, one] of pools.entries()) {
    const pool = asObject(one as Fields);
    if (pool !== undefined) convertPool(pool, `spec.agentPoolProfiles[${index}]`, note);
  }
  object.spec = withoutGoTemplates(spec, 'spec', note);
  return { object, notes };
}

function addDnsPrefix({ metadata }: Fields, spec: Fields, note: Notes): void {
  if (spec.dnsPrefix !== undefined || spec.fqdnSubdomain !== undefined) return;
  const name = spec.azureName ?? asObject(metadata)?.name;
  if (typeof name !== 'string') {
    note('problem', 'spec.dnsPrefix', 'Azure refuses a cluster without it; set it');
    return;
  }
  const prefix = hasPlaceholder(name) ? name : usualDnsPrefix(name);
  spec.dnsPrefix = prefix;
  note('changed', 'spec.dnsPrefix', `Azure refuses a cluster without it: now ${quoteInput(prefix)}`);
}

function convertPool(pool: Fields, path: string, note: Notes): void {
  for (const name of booleans) {
    const value = pool[name];
    if (typeof value !== 'string') continue;
    const field = `${path}.${name}`;
    if (value === 'true' || value === 'false') {
      pool[name] = value === 'true';
      note('changed', field, `it is a boolean, not a text: now ${value}`);
    } else note('problem', field, 'it is a boolean, and a text is refused; set true or false, or use two templates');
  }
  for (const name of integers) {
    const value = pool[name];
    if (typeof value !== 'string') continue;
    const field = `${path}.${name}`;
    if (/^\d{1,6}$/.test(value)) {
      pool[name] = Number(value);
      note('changed', field, `it is a number, not a text: now ${value}`);
    } else note('problem', field, 'it is a number, and a text is refused; set a number');
  }
  if (pool.enableAutoScaling === false && (pool.minCount !== undefined || pool.maxCount !== undefined)) {
    delete pool.minCount;
    delete pool.maxCount;
    note('removed', `${path}.minCount, maxCount`, 'they have no meaning without autoscaling, and AKS may refuse them');
  } else if (
    typeof pool.enableAutoScaling === 'string' &&
    (pool.minCount !== undefined || pool.maxCount !== undefined)
  ) {
    note('advice', `${path}.minCount, maxCount`, 'leave them out where autoscaling is off');
  }
  if (pool.mode === 'System') adviseOnSystemPool(pool, path, note);
}

/** The same rules as those of a request. */
function adviseOnSystemPool({ vmSize, count }: Fields, path: string, note: Notes): void {
  const report: Report = (_, code, field, cause, fix) =>
    note('advice', field.replace('spec.systemPool', path), `${cause}; ${fix} (${code})`);
  const readable = typeof vmSize === 'string' && !hasPlaceholder(vmSize);
  const systemPool: Resolved['systemPool'] = {
    vmSize: readable ? vmSize : 'Standard_D4s_v5',
    count: typeof count === 'number' ? count : 2,
    zones: [],
    criticalAddonsOnly: false,
  };
  checkSystemPool({ systemPool }, report);
}

/** What Argo would hand to Kubernetes as it stands. */
function withoutGoTemplates(value: Fields, path: string, note: Notes): Fields {
  const convert = (one: unknown, at: string): unknown => {
    if (Array.isArray(one)) return one.map((item, index) => convert(item, `${at}[${index}]`));
    const fields = asObject(one as Fields);
    if (fields !== undefined) return withoutGoTemplates(fields, at, note);
    if (typeof one !== 'string' || !isGoTemplate(one)) return one;
    // Reported already: an expression is a text too.
    if (booleans.some((name) => at.endsWith(`.${name}`))) return one;
    const expression = asExpression(one);
    if (expression === undefined) {
      note('problem', at, 'Argo Workflows has no Go templates; use {{inputs.parameters.name}} or {{=expression}}');
      return one;
    }
    note('changed', at, `Argo Workflows has no Go templates: now ${expression}`);
    return expression;
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner, `${path}.${key}`)]));
}
