import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { aCreateRequest, plainFacts } from '../../../../test/stand-ins/provider-context.ts';
import type { Json } from '../../../base/json.ts';
import { labelKeyFault, labelValueFault } from '../../../base/kubernetes/label-syntax.ts';
import { claimScopedName } from '../../../nodes/claims/attempt/names.ts';
import { parseTaint } from '../../../nodes/claims/spec/taints.ts';
import { aksKind } from '../../aks/kind.ts';
import { arcKind } from '../../arc/kind.ts';
import { instanceIdOf } from '../../instance-id.ts';
import { parseAksNodeClass } from '../node-classes/aks.ts';
import { parseArcNodeClass } from '../node-classes/arc.ts';
import { type CreateHandle, readCreateHandle, readDeleteHandle, toHandle } from './handle.ts';
import { creationLabel, creationTime } from './labels.ts';
import { wishFor } from './wish.ts';

const clusterNames = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const claimNames = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,60}[a-z0-9])?$/);
const place = { subscription: 's', resourceGroup: 'g' };
const segment = fc.stringMatching(/^[a-z0-9]{4,8}$/);

describe('whatever the names', () => {
  test.prop([clusterNames, claimNames, segment, segment, segment])(
    'a pool is found again in the providerID of its machine, and in what stands in for it',
    (clusterName, claimName, hash, set, machine) => {
      const aks = aksKind({ ...place, clusterName, location: 'eastus' });
      const arc = arcKind({ ...place, clusterName });
      for (const kind of [aks, arc]) {
        const pool = claimScopedName({ claimName, uid: 'u-1' }, kind.names);
        expect(pool).toMatch(/^[a-z][a-z0-9]{0,11}$/);
        expect(instanceIdOf(kind, `azure://${kind.armId(pool)}`)).toBe(pool);
        const other = kind === aks ? arc : aks;
        expect(instanceIdOf(other, `azure://${kind.armId(pool)}`)).toBeUndefined();
      }
      const pool = claimScopedName({ claimName, uid: 'u-1' }, arc.names);
      expect(instanceIdOf(arc, `moc://${clusterName}-${hash}-${pool}-md-${set}-${machine}`)).toBe(pool);
      const vmss = `azure:///subscriptions/s/resourceGroups/MC_g/providers/Microsoft.Compute/virtualMachineScaleSets`;
      expect(instanceIdOf(aks, `${vmss}/aks-${pool}-12345678-vmss/virtualMachines/0`)).toBe(pool);
    },
  );

  test.prop([fc.string(), clusterNames])(
    'no text makes a providerID break, or a pool that can not be',
    (text, clusterName) => {
      for (const kind of [
        aksKind({ ...place, clusterName, location: '' }),
        aksKind({ ...place, location: '' }),
        arcKind({ ...place, clusterName }),
        arcKind(place),
      ]) {
        expect(instanceIdOf(kind, text) ?? 'a').toMatch(/^[a-z0-9][a-z0-9-]*$/);
      }
    },
  );
});

describe('whatever the claim', () => {
  const labelKey = fc.stringMatching(/^([a-z]{1,8}\.(io|com|sh)\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?$/);
  const labelValue = fc.stringMatching(/^([A-Za-z0-9]([A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?)?$/);
  const taint = fc.record({
    key: labelKey,
    value: labelValue,
    effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const, 'PreferNoSchedule' as const),
  });

  test.prop([
    fc.dictionary(labelKey, labelValue),
    fc.array(taint, { maxLength: 5 }),
    fc.double(),
    fc.integer({ min: 1 }),
  ])('labels and taints of the pool are legal, and say whose it is', (labels, taints, createdAt, attempt) => {
    const request = aCreateRequest({
      owner: { deployment: 'd', cluster: 'c', claimUid: 'u-1', attempt },
      claim: { ...plainFacts, labels, taints, createdAt, requests: { storage: '64Gi' } },
      offering: { instanceType: 'Standard_D4s_v5', zone: '', capacityType: 'spot' },
    });

    const mapped = wishFor(request, { tags: {} }, { osDisk: true });

    if (!mapped.ok) expect.fail('it should be mapped');
    const { wish } = mapped.value;
    for (const [key, value] of Object.entries(wish.labels)) {
      expect([labelKeyFault(key), labelValueFault(value)]).toEqual([undefined, undefined]);
    }
    for (const text of wish.taints) expect(parseTaint(text)).toMatchObject({ ok: true });
    expect(wish.labels).toMatchObject({ 'poolwright.dev/claim-uid': 'u-1', 'poolwright.dev/attempt': String(attempt) });
  });

  test.prop([fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })])(
    'its second of creation is read back from the label',
    (date) => {
      expect(creationTime(creationLabel(date.getTime()))).toBe(Math.floor(date.getTime() / 1000) * 1000);
    },
  );
});

describe('whatever stands in a history or a node class', () => {
  test.prop([fc.jsonValue()])('it is read or refused, and nothing is thrown', (value) => {
    for (const read of [readCreateHandle, readDeleteHandle]) {
      const handle = read(value as Json, 'aks');
      if (!handle.ok) expect(handle.error.kind).toBe('invalid');
    }
    for (const parse of [parseAksNodeClass, parseArcNodeClass]) {
      const parsed = parse(value as Json);
      if (!parsed.ok) expect(parsed.problems.length).toBeGreaterThan(0);
    }
  });

  const handle: CreateHandle = {
    v: 1,
    of: 'aks',
    do: 'create',
    pool: 'ws1',
    owner: { deployment: 'd', cluster: 'c', claimUid: 'u', attempt: 1 },
    claimName: 'ws1',
    offering: { instanceType: 'x', zone: '', capacityType: 'spot' },
    labels: {},
    operation: { url: 'https://management.azure.com/1', by: 'location', spot: true },
  };

  test.prop([fc.constantFrom(...Object.keys(handle)), fc.jsonValue()])(
    'a handle in which %s was edited is read or refused, and nothing is thrown',
    (field, value) => {
      const edited = { ...(toHandle(handle) as { [key: string]: Json }), [field]: value as Json };
      const read = readCreateHandle(edited, 'aks');
      if (!read.ok) expect(read.error.kind).toBe('invalid');
      expect(readCreateHandle(toHandle(handle), 'aks')).toEqual({ ok: true, value: handle });
    },
  );
});
