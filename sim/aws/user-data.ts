/** What a machine's user data makes its kubelet do: the labels and taints that it registers its Node with. */

import { parseAllDocuments } from 'yaml';
import { isObject } from '../../shared/base/json.ts';
import type { Taint } from '../../shared/nodes/claims/spec/types.ts';
import { flag, isEffect, labelsFrom, type NodeRequest, taintsFrom, uniqueTaints } from '../kit/kubelet-flags.ts';

/** An image of EKS that is told nothing joins nothing. */
export function nodeRequestOf(userData: string): NodeRequest | undefined {
  if (userData.trim() === '') return undefined;
  const labels: Record<string, string> = {};
  const taints: Taint[] = [];
  for (const text of flag(userData, 'node-labels')) Object.assign(labels, labelsFrom(text));
  for (const text of flag(userData, 'register-with-taints')) taints.push(...taintsFrom(text));
  for (const config of nodeConfigs(userData)) taints.push(...configuredTaints(config));
  const toml = bottlerocketOf(userData);
  Object.assign(labels, toml.labels);
  taints.push(...toml.taints);
  return { labels, taints: uniqueTaints(taints) };
}

/** nodeadm's documents, alone or as parts of a MIME message. */
function nodeConfigs(text: string): Record<string, unknown>[] {
  const parts = /^--(\S+)\s*$/m.exec(text) === null ? [text] : text.split(/^--.*$/m);
  return parts.flatMap((part) => {
    const start = part.search(/^(---\s*$|apiVersion:|\{)/m);
    if (start < 0 || !part.includes('NodeConfig')) return [];
    return parseAllDocuments(part.slice(start)).flatMap((document) => {
      const config: unknown = document.toJS();
      return isObject(config) && config.kind === 'NodeConfig' ? [config] : [];
    });
  });
}

function configuredTaints(config: Record<string, unknown>): Taint[] {
  const { spec } = config;
  const kubelet = isObject(spec) ? spec.kubelet : undefined;
  const own = isObject(kubelet) ? kubelet.config : undefined;
  const listed = isObject(own) ? own.registerWithTaints : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) => {
    if (!isObject(one) || typeof one.key !== 'string' || !isEffect(one.effect)) return [];
    const { key, effect, value } = one;
    return [{ key, effect, ...(typeof value === 'string' && value !== '' ? { value } : {}) }];
  });
}

/** The two tables of Bottlerocket's settings that a kubelet registers with. */
function bottlerocketOf(text: string): NodeRequest {
  const found: NodeRequest = { labels: {}, taints: [] };
  let table = '';
  for (const line of text.split(/\r?\n/)) {
    const [, header] = /^\s*\[\s*([^\]]+?)\s*\]\s*$/.exec(line) ?? [];
    if (header !== undefined) {
      table = header.replaceAll(/["']/g, '');
      continue;
    }
    const [, key = '', value] = /^\s*["']?([^"'=]+?)["']?\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (value === undefined) continue;
    const texts = [...value.matchAll(/["']([^"']*)["']/g)].map(([, one = '']) => one);
    if (table === 'settings.kubernetes.node-labels') found.labels[key] = texts[0] ?? '';
    if (table !== 'settings.kubernetes.node-taints') continue;
    for (const one of texts) found.taints.push(...taintsFrom(`${key}=${one}`));
  }
  return found;
}
