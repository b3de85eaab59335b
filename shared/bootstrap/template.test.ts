import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseTemplate, renderTemplate, secretKeys, type TemplateValues, usedNames } from './template.ts';
import { nodeVariables } from './variables.ts';

const node = {
  clusterName: 'production',
  claimName: 'web-1',
  name: 'web-1-abc',
  instanceType: 'large',
  zone: 'Zürich-1',
  capacityType: 'on-demand',
  labels: { team: 'web', 'kubernetes.io/role': 'not-for-kubelets', 'topology.kubernetes.io/zone': 'z1' },
  taints: [
    { key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const },
    { key: 'gpu', value: 'yes', effect: 'NoSchedule' as const },
  ],
};

const values = (more: Partial<TemplateValues> = {}): TemplateValues => ({
  variables: nodeVariables(node),
  secret: { 'join-command': 'kubeadm join 10.0.0.1:6443 --token "a b"\n' },
  secretName: 'karpenter/cloudstack-credentials',
  ...more,
});

const field = 'spec.userData';

function rendered(text: string, more: Partial<TemplateValues> = {}) {
  const { template, problems } = parseTemplate(text, field);
  expect(problems).toEqual([]);
  return renderTemplate(template, values(more), field);
}

const problemsOf = (text: string): string[] =>
  parseTemplate(text, field).problems.map(({ path, message }) => `${path}: ${message}`);

describe('a template of user data', () => {
  it('puts values in, and leaves every other brace alone', () => {
    const text = `#!/bin/sh
# {{ ds.meta_data.instance_id }} {{ Values.x }} \${HOSTNAME} %{http_code}
echo {{ poolwright.node.name }} {{poolwright.cluster.name}} {{- poolwright.claim.name -}}
`;
    expect(rendered(text)).toEqual({
      text: `#!/bin/sh
# {{ ds.meta_data.instance_id }} {{ Values.x }} \${HOSTNAME} %{http_code}
echo web-1-abc production web-1
`,
      problems: [],
    });
  });

  it('gives a kubelet only the labels that it may have, and all taints', () => {
    expect(rendered('{{ poolwright.node.labels }} {{ poolwright.node.taints }} {{ poolwright.node.zone }}').text).toBe(
      'team=web,topology.kubernetes.io/zone=z1 gpu=yes:NoSchedule,karpenter.sh/unregistered=:NoExecute Zürich-1',
    );
  });

  it('writes lists and objects for configuration files', () => {
    const { text } = rendered(
      'node-label: {{ poolwright.node.labels | list }}\ntaints: {{ poolwright.node.taints | json }}\nzone: {{ poolwright.node.zone | yaml }}\n',
    );
    expect(parse(text)).toEqual({
      'node-label': ['team=web', 'topology.kubernetes.io/zone=z1'],
      taints: [
        { key: 'gpu', effect: 'NoSchedule', value: 'yes' },
        { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
      ],
      zone: 'Zürich-1',
    });
  });

  it('takes keys of the Secret that begin with join-, and no other', () => {
    const text = '{{ poolwright.join.command | raw }}\n{{ poolwright.join.token }}\n';
    const { template } = parseTemplate(text, field);
    expect(secretKeys(template)).toEqual(['join-command', 'join-token']);
    expect(usedNames(template)).toEqual(['join.command', 'join.token']);
    const { problems } = renderTemplate(template, values(), field);
    expect(problems).toEqual([
      {
        path: field,
        message:
          'line 2: poolwright.join.token needs the key join-token of the Secret karpenter/cloudstack-credentials, which does not have it',
      },
    ]);
    expect(problemsOf('{{ poolwright.secret-key }}')).toEqual([
      expect.stringContaining('line 1: there is no variable "poolwright.secret-key"'),
    ]);
    expect(problemsOf('{{ poolwright.join.__proto__ }}')).toHaveLength(1);
  });

  it('refuses a value that a shell or YAML could read as something else, without showing it', () => {
    const { template } = parseTemplate('a\nb {{ poolwright.join.command }}', field);
    const { problems } = renderTemplate(template, values(), field);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.message).toContain('line 2: the value of poolwright.join.command has characters');
    expect(problems[0]!.message).toContain('{{ poolwright.join.command | shell }}');
    expect(JSON.stringify(problems)).not.toContain('token');
  });

  it.each([
    ['shell', `'it'\\''s "$HOME" \\ ü😀'`],
    ['yaml', String.raw`"it's \"$HOME\" \\ \u00fc\U0001f600"`],
    ['json', String.raw`"it's \"$HOME\" \\ ü😀"`],
    ['base64', Buffer.from('it\'s "$HOME" \\ ü😀').toString('base64')],
    ['raw', 'it\'s "$HOME" \\ ü😀'],
  ])('escapes for %s', (filter, expected) => {
    const text = 'it\'s "$HOME" \\ ü😀';
    const { text: made } = rendered(`{{ poolwright.cluster.name | ${filter} }}`, {
      variables: { 'cluster.name': { text } },
    });
    expect(made).toBe(expected);
    if (filter === 'yaml' || filter === 'json') expect(parse(made)).toBe(text);
  });

  it('names line, field and the nearest name of what it does not know', () => {
    expect(problemsOf('#!/bin/sh\n\necho {{ poolwright.node.nmae }}')).toEqual([
      'spec.userData: line 3: there is no variable "poolwright.node.nmae"; did you mean "poolwright.node.name"?',
    ]);
    expect(problemsOf('{{ polwright.node.name }}')).toEqual([
      'spec.userData: line 1: there is no variable "polwright.node.name"; did you mean "poolwright.node.name"?',
    ]);
    expect(problemsOf('{{ node.name }}')).toEqual([
      'spec.userData: line 1: there is no variable "node.name"; did you mean "poolwright.node.name"?',
    ]);
    expect(problemsOf('{{ poolwright.zzzzzzzzzzzz }}')).toEqual([expect.stringContaining('; there are poolwright.')]);
    expect(problemsOf('{{ poolwright.node.name | shel }}')).toEqual([
      expect.stringContaining('there is no filter "shel"; there are shell, yaml, json, list, base64, raw; did you'),
    ]);
    expect(problemsOf('{{ poolwright.node.name | shell | raw }}')).toEqual([
      'spec.userData: line 1: poolwright.node.name takes one filter, and has 2',
    ]);
  });

  it('leaves names of other templates alone where cloud-init is told that there are some', () => {
    expect(problemsOf('## template: jinja\n#!/bin/sh\necho {{ node.name }} {{ v1.instance_id }}')).toEqual([]);
  });

  it('says why a value is absent', () => {
    const { template } = parseTemplate('{{ poolwright.node.provider-id }}', field);
    const absent = { 'node.provider-id': 'read it from the metadata service' } as const;
    expect(renderTemplate(template, values({ absent }), field).problems[0]!.message).toBe(
      'line 1: poolwright.node.provider-id has no value here: read it from the metadata service',
    );
  });

  it('is quick with text that only looks like a template', () => {
    expect(problemsOf('{{ '.repeat(300_000))).toEqual([]);
    expect(problemsOf(`{{${' '.repeat(1_000_000)}`)).toEqual([]);
  });
});
