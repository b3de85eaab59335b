import { describe, expect, it } from 'vitest';
import { type CallName, providerService } from './service.ts';

describe('the protocol', () => {
  it('has the 18 calls under their paths, and the name that the design gives to one of them', () => {
    expect(Object.values(providerService).map(({ path }) => path.replace('/provider.v1.Provider/', ''))).toEqual([
      'Validate',
      'Create',
      'Delete',
      'Power',
      'Reconfigure',
      'HardwareUpgrade',
      'Describe',
      'TaskStatus',
      'SnapshotCreate',
      'SnapshotDelete',
      'SnapshotRevert',
      'Clone',
      'ImagePrepare',
      'GetCapabilities',
      'ExportDisk',
      'ImportDisk',
      'GetDiskInfo',
      'ListVMs',
      'ListCapabilities',
    ] satisfies CallName[]);
  });

  it('writes a request as others read it', () => {
    const { requestSerialize } = providerService.Create;
    const bytes = requestSerialize({ name: 'ü', userData: Buffer.from([1, 2]), classJson: '{}', tags: ['a', ''] });
    expect(bytes.toString('hex')).toBe('0a02c3bc120201021a027b7d42016142' + '00');
  });

  it('reads zero values for what is left out, and nothing for an absent message', () => {
    expect(providerService.Describe.responseDeserialize(Buffer.alloc(0))).toEqual({
      exists: false,
      powerState: '',
      ips: [],
      consoleUrl: '',
      providerRawJson: '',
    });
    expect(providerService.Delete.responseDeserialize(Buffer.alloc(0))).toEqual({});
  });

  it('skips fields of a newer version', () => {
    // Field 15, a string, then field 1.
    const bytes = Buffer.from('7a03616263' + '0801', 'hex');
    expect(providerService.Describe.responseDeserialize(bytes).exists).toBe(true);
  });

  it('keeps sizes beyond 32 bits', () => {
    const { responseSerialize, responseDeserialize } = providerService.GetDiskInfo;
    const size = 3 * 2 ** 40;
    expect(responseDeserialize(responseSerialize({ virtualSizeBytes: size })).virtualSizeBytes).toBe(size);
  });
});
