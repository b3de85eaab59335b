/**
 * What a guest can ask the site about itself: the metadata server of its network's router, or cloud-init, which has asked
 * before. User data can't contain the id of its own VM, because CloudStack gives that only when it has the user data.
 */
import { escapePattern } from './patterns.ts';

export interface GuestFacts {
  vmId: string;
  name: string;
  zone: string;
  offering: string;
  ip: string;
}

/** By the name under `/latest/meta-data/`. */
const items: Record<string, (facts: GuestFacts) => string> = {
  'instance-id': ({ vmId }) => vmId,
  'vm-id': ({ vmId }) => vmId,
  'local-hostname': ({ name }) => name,
  hostname: ({ name }) => name,
  'availability-zone': ({ zone }) => zone,
  'service-offering': ({ offering }) => offering,
  'local-ipv4': ({ ip }) => ip,
};

/** How cloud-init calls the same, in its templates and to `cloud-init query`. */
const cloudInitNames: Record<string, string> = {
  instance_id: 'instance-id',
  'v1.instance_id': 'instance-id',
  'ds.meta_data.instance_id': 'instance-id',
  'ds.meta_data.vm_id': 'vm-id',
  local_hostname: 'local-hostname',
  'v1.local_hostname': 'local-hostname',
  'ds.meta_data.local_hostname': 'local-hostname',
  availability_zone: 'availability-zone',
  'v1.availability_zone': 'availability-zone',
  'ds.meta_data.availability_zone': 'availability-zone',
  'ds.meta_data.service_offering': 'service-offering',
};

/** The text as it is once the guest has asked for what it asks for: in templates of cloud-init, and in its shell. */
export function withMetadata(text: string, facts: GuestFacts): string {
  const templated = /^\s*##\s*template:\s*jinja/i.test(text) ? fillTemplate(text, facts) : text;
  return fillShell(templated, facts);
}

const fillTemplate = (text: string, facts: GuestFacts): string =>
  text.replaceAll(/\{\{-?\s*([\w.]+)\s*-?\}\}/g, (whole, name: string) => fromCloudInit(name, facts) ?? whole);

const fromCloudInit = (name: string, facts: GuestFacts): string | undefined =>
  items[cloudInitNames[name] ?? '']?.(facts);

/** What a command in `$(…)` or in backticks prints: a path that ends with `meta-data/<item>`, `cloud-init query <name>`, `hostname`. */
function printed(command: string, facts: GuestFacts): string | undefined {
  const [, item] = /meta-data\/([\w-]+)/.exec(command) ?? [];
  if (item !== undefined) return items[item]?.(facts);
  const [, name] = /cloud-init\s+query\s+(?:--\S+\s+)*([\w.]+)/.exec(command) ?? [];
  if (name !== undefined) return fromCloudInit(name, facts);
  return /^\s*hostname(\s+-[sf])?\s*$/.test(command) ? facts.name : undefined;
}

/** Commands are replaced by what they print, and the variables that they set by their value. */
function fillShell(text: string, facts: GuestFacts): string {
  const answered = text.replaceAll(
    /\$\(([^()]*(?:\([^()]*\)[^()]*)*)\)|`([^`\n]+)`/g,
    (whole, inParentheses?: string, inBackticks?: string) =>
      printed(inParentheses ?? inBackticks ?? '', facts) ?? whole,
  );
  const variables = new Map<string, string>();
  for (const [, name, value] of answered.matchAll(
    /(?:^|[\s;&'"-])(?:export\s+)?([A-Za-z_]\w*)=["']?([^\s"'$`;]+)["']?(?=[\s;"']|$)/gm,
  )) {
    if (name !== undefined && value !== undefined && isFact(value, facts)) variables.set(name, value);
  }
  let filled = answered;
  for (const [name, value] of variables) {
    filled = filled.replaceAll(
      new RegExp(`\\$\\{${escapePattern(name)}\\}|\\$${escapePattern(name)}(?!\\w)`, 'g'),
      value,
    );
  }
  return filled;
}

const isFact = (value: string, facts: GuestFacts): boolean =>
  Object.values(items).some((read) => read(facts) === value);

/** `sed -i "s|placeholder|value|" file` in any of the texts, done to all of them. */
export function withSubstitutions(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [
    ...text.matchAll(/\bsed\s+-i\S*\s+(?:-e\s+)?["']?s([|/#,@])([\w@%{}<>-]+)\1((?:(?!\1)[^"'\n])*)\1g?/g),
  ]);
  const pairs = new Map(found.map(([, , placeholder = '', value = '']) => [placeholder, value]));
  return texts.map((text) => [...pairs].reduce((filled, [from, to]) => filled.replaceAll(from, to), text));
}
