import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { MachineSpec } from '../machine-spec.ts';
import { readCreate, writeCreate } from './create-request.ts';
import { readDesired, writeDesired } from './desired-json.ts';

const machine: MachineSpec = {
  class: {
    cpu: 4,
    memoryMiB: 8192,
    firmware: 'UEFI',
    diskDefaults: { type: 'thin', sizeGiB: 40 },
    extraConfig: { 'guest.x': 'y' },
    performanceProfile: { nestedVirtualization: true },
    securityProfile: { secureBoot: true, tpm: false },
    limits: { cpu: 2000, cpuShares: 'high' },
  },
  image: { templateName: 'ubuntu-24' },
  networks: [
    {
      name: 'lan',
      vlan: 12,
      mac: '00:16:3e:00:00:01',
      address: '10.0.0.5',
      prefix: 24,
      gateway: '10.0.0.1',
      dns: ['1.1.1.1', '9.9.9.9'],
    },
    { name: 'vmbr2' },
  ],
  disks: [{ name: 'root', sizeGiB: 40, scsi: { controller: 1, sharedBus: 'none' } }],
  placement: { cluster: 'c1', resourcePool: 'p' },
  userData: '#cloud-config\n# ü',
  metaData: 'instance-id: x',
  tags: ['a', 'b=c'],
};

describe('the JSON inside the messages', () => {
  it('has the keys of structs in Go', () => {
    const { classJson, networksJson, disksJson, placementJson } = writeCreate('web', machine);
    expect(JSON.parse(classJson)).toEqual({
      CPU: 4,
      MemoryMiB: 8192,
      Firmware: 'UEFI',
      DiskDefaults: { Type: 'thin', SizeGiB: 40 },
      ExtraConfig: { 'guest.x': 'y' },
      PerformanceProfile: { NestedVirtualization: true },
      SecurityProfile: { SecureBoot: true, TPMEnabled: false },
      ResourceLimits: { CPULimit: 2000, CPUShares: 'high' },
    });
    expect(JSON.parse(disksJson)).toEqual([{ Name: 'root', SizeGiB: 40, SCSI: { controller: 1, sharedBus: 'none' } }]);
    expect(JSON.parse(placementJson)).toEqual({ Cluster: 'c1', ResourcePool: 'p' });
    expect(JSON.parse(networksJson)[0]).toMatchObject({
      Name: 'lan',
      VLAN: 12,
      StaticIP: '10.0.0.5',
      DNS: '1.1.1.1,9.9.9.9',
    });
  });

  it('has the lower-case keys that a server for Proxmox reads in networks', () => {
    expect(JSON.parse(writeCreate('web', machine).networksJson)).toMatchObject([
      {
        name: 'lan',
        vlan: 12,
        mac: '00:16:3e:00:00:01',
        static_ip: { address: '10.0.0.5/24', gateway: '10.0.0.1', dns: ['1.1.1.1', '9.9.9.9'] },
      },
      { name: 'vmbr2' },
    ]);
  });

  it('comes back as it was', () => {
    expect(readCreate(writeCreate('web', machine))).toEqual({ ok: true, value: { name: 'web', machine } });
    expect(readDesired(writeDesired('web', machine))).toEqual({ ok: true, value: { name: 'web', machine } });
  });

  it('is read whatever the case of its keys, and with the zero values that Go writes', () => {
    const request = {
      ...writeCreate('web', machine),
      classJson: '{"cpu":2,"MEMORYMIB":1024,"Firmware":"","DiskDefaults":null,"ResourceLimits":null,"New":[1]}',
      networksJson: 'null',
      disksJson: '[{"Name":"","SizeGiB":10,"Type":""}]',
    };
    expect(readCreate(request)).toMatchObject({
      ok: true,
      value: { machine: { class: { cpu: 2, memoryMiB: 1024 }, networks: [], disks: [{ sizeGiB: 10 }] } },
    });
  });

  it('is refused with the place of each mistake, and without what the text says', () => {
    const request = {
      ...writeCreate('', machine),
      classJson: '{"CPU":"four","MemoryMiB":0}',
      disksJson: '[{"SizeGiB":1},{"SizeGiB":"x"}]',
      placementJson: '{secret',
    };
    const read = readCreate(request);
    expect(read.ok ? [] : read.error.problems).toEqual([
      { path: 'name', message: 'is missing' },
      { path: 'class_json.CPU', message: 'must be a number' },
      { path: 'class_json.MemoryMiB', message: 'is missing' },
      { path: 'disks_json[1].SizeGiB', message: 'must be a number' },
      { path: 'placement_json', message: 'is not JSON' },
    ]);
    expect(readDesired('{"Class"')).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: 'desired_json: is not JSON' },
    });
    expect(readDesired('')).toMatchObject({ ok: false, error: { message: 'Class: is missing' } });
  });

  test.prop([fc.json(), fc.json()])('is never the end of a server', (one, other) => {
    const request = {
      ...writeCreate('x', machine),
      classJson: one,
      networksJson: other,
      disksJson: other,
      imageJson: one,
    };
    expect(readCreate(request)).toHaveProperty('ok');
    expect(readDesired(one)).toHaveProperty('ok');
  });
});
