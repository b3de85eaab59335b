import { expect, it } from 'vitest';
import { stillSupported } from '../rules/offered-versions.ts';
import { offeredThere } from './offered-there.ts';

const official = ['KubernetesOfficial'];
const both = [...official, 'AKSLongTermSupport'];
const one = (minor: string, supportPlans: string[], preview?: true) => ({
  minor,
  patches: [],
  supportPlans,
  ...(preview ? { preview } : {}),
});

it.each([
  ['a day of the calendar', one('1.36', official), { ends: '2027-06-30' }],
  ['a version that the calendar does not know', one('1.40', official), { ends: stillSupported }],
  ['one that the calendar has ended too early', one('1.33', official), { ends: stillSupported }],
  ['long-term support alone', one('1.30', ['AKSLongTermSupport']), { longTermEnds: stillSupported }],
  ['both', one('1.35', both), { ends: '2027-03-31', longTermEnds: '2028-03-31' }],
  ['no plans at all', one('1.40', []), { ends: stillSupported, longTermEnds: stillSupported }],
  [
    'a preview, which another check warns of',
    one('1.41', [], true),
    { ends: stillSupported, longTermEnds: stillSupported },
  ],
])('%s', (_what, version, ends) => {
  const { versions, ...rest } = offeredThere('westeurope', [version], '2026-09-01');
  expect(rest).toEqual({ asOf: 'westeurope', complete: true });
  expect(versions).toEqual([{ minor: version.minor, ...ends }]);
});
