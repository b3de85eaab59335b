import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requests } from '../../../test/clusters/requests.ts';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import { mostRecordTags, recordInTags, recordTags } from '../resolved/record-tags.ts';
import { resolve } from '../resolved/resolve.ts';
import type { RequestRecord } from './record.ts';
import { recordInAzure, tagsOfRecord } from './record-in-azure.ts';

const recordFor = (request: Parameters<typeof resolve>[0]): RequestRecord => ({
  uid: 'u-1',
  deployment: 'office',
  attempt: 1,
  generation: 1,
  spec: request.spec,
  resolved: resolve(request, builtInPoolTypes),
  versions: { ManagedCluster: 'v1api20250801' },
  begun: [],
  failures: 0,
  poolsExist: false,
});

describe('the record of a request in tags', () => {
  it('can be read back, whatever the request, in tags that Azure takes', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const record = recordFor(request);
        const tags = tagsOfRecord(record) ?? {};
        expect(Object.keys(tags).length).toBeGreaterThan(0);
        expect(Object.keys(tags).length).toBeLessThanOrEqual(mostRecordTags);
        for (const [name, value] of Object.entries(tags)) {
          expect(name).toMatch(/^poolwright-record-\d$/);
          expect(value.length).toBeLessThanOrEqual(256);
        }
        const read = recordInAzure({ other: 'x', ...tags });
        const { spec, resolved } = JSON.parse(JSON.stringify(record)) as RequestRecord;
        expect(read).toMatchObject({ namespace: request.metadata.namespace ?? '', name: request.metadata.name, spec });
        if (read?.resolved !== undefined) expect(read.resolved).toEqual(resolved);
      }),
      { numRuns: 200 },
    );
  });

  it('has the defaults of its day for an ordinary request', () => {
    const request = {
      apiVersion: '',
      kind: '',
      metadata: { name: 'web', namespace: 'team-a', uid: 'u-1' },
      spec: { location: 'westeurope', nodes: 'agentPools' as const, tags: { team: 'shop', cost: 'center-12' } },
    };
    const tags = tagsOfRecord(recordFor(request)) ?? {};
    expect(recordInAzure(tags)?.resolved?.dnsPrefix).toBe('web');
    expect(Object.keys(tags).length).toBeLessThanOrEqual(5);
  });

  it('is left out where it does not fit', () => {
    const noise = Array.from({ length: 4000 }, (_, index) => (index * 7919 * 104_729).toString(36)).join('');
    expect(recordTags({ noise })).toBeUndefined();
  });

  it.each([
    ['nothing', {}],
    ['no text', { 'poolwright-record-1': 7 }],
    ['no record', { 'poolwright-record-1': 'AAAA' }],
    ['half of one', { 'poolwright-record-1': 'q1YqSy0qzszPU7JSqlWqBQA'.slice(0, 9) }],
  ])('%s is no record', (_, tags) => {
    expect(recordInTags(tags)).toBeUndefined();
    expect(recordInAzure(tags as never)).toBeUndefined();
  });

  it('something that unfolds without end is not unfolded', () => {
    const tags = recordTags({ long: 'a'.repeat(200_000) }) ?? {};
    expect(Object.keys(tags)).not.toHaveLength(0);
    expect(recordInTags(tags)).toBeUndefined();
  });
});
