import { describe, expect, it } from 'vitest';
import { renderClusters } from '../../cli/commands/clusters/run.ts';

describe('poolwright clusters', () => {
  it('says of each cluster who acts, and what is wrong with its settings', () => {
    const text = renderClusters(
      [
        { name: 'east', acts: true, settingsProblem: 'ConfigMap poolwright/poolwright-settings: no' },
        {
          name: 'west-2',
          acts: false,
          reason: 'NotOwner',
          who: 'other/1',
          why: 'deployment other acts on cluster west-2',
        },
      ],
      120,
    );
    expect(text).toBe(
      'east    this deployment acts\n' +
        '        settings: ConfigMap poolwright/poolwright-settings: no\n' +
        'west-2  read-only (NotOwner): deployment other acts on cluster west-2\n',
    );
  });

  it('obeys nothing that comes from outside', () => {
    expect(renderClusters([{ name: 'a', acts: false, reason: 'NotOwner', why: 'x\u001b[2J' }], 80)).toContain(
      '\\u001b[2J',
    );
  });
});
