/** Volumes of a machine: those of the class, or what is usual for the family of the image. */

import type { LaunchTemplateBlockDeviceMappingRequest } from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import type { AmiFamily, BlockDevice, Ec2NodeClassSpec } from './schema.ts';

const gib = 1024 ** 3;

const volume = (deviceName: string, volumeSize: string): BlockDevice => ({
  deviceName,
  ebs: { volumeSize, volumeType: 'gp3', encrypted: true },
});

/** A custom image brings its own volumes. */
function usualDevices(family: AmiFamily): BlockDevice[] {
  switch (family) {
    case 'AL2':
    case 'AL2023':
      return [volume('/dev/xvda', '20Gi')];
    case 'Bottlerocket':
      // The system is on the one, and all that grows on the other.
      return [volume('/dev/xvda', '4Gi'), volume('/dev/xvdb', '20Gi')];
    case 'Custom':
      return [];
    default:
      return [volume('/dev/sda1', '50Gi')];
  }
}

/** The device that the kubelet keeps its files on. */
function kubeletDevice(family: AmiFamily): string {
  if (family === 'Bottlerocket') return '/dev/xvdb';
  return family.startsWith('Windows') ? '/dev/sda1' : '/dev/xvda';
}

const devicesOf = (spec: Ec2NodeClassSpec, family: AmiFamily): BlockDevice[] =>
  spec.blockDeviceMappings ?? usualDevices(family);

export const blockDeviceRequests = (
  spec: Ec2NodeClassSpec,
  family: AmiFamily,
): LaunchTemplateBlockDeviceMappingRequest[] =>
  devicesOf(spec, family).map(({ deviceName, ebs = {} }) => ({
    ...defined({ DeviceName: deviceName }),
    Ebs: {
      // A volume that outlived its machine would cost for ever.
      DeleteOnTermination: ebs.deleteOnTermination ?? true,
      ...defined({
        Encrypted: ebs.encrypted,
        Iops: ebs.iops,
        KmsKeyId: ebs.kmsKeyID,
        SnapshotId: ebs.snapshotID,
        Throughput: ebs.throughput,
        VolumeInitializationRate: ebs.volumeInitializationRate,
      }),
      ...(ebs.volumeSize === undefined ? {} : { VolumeSize: Math.ceil(volumeBytes(ebs.volumeSize) / gib) }),
      ...defined({ VolumeType: ebs.volumeType }),
    },
  }));

/** What a node has of ephemeral storage: the size of the volume that the kubelet uses. */
export function ephemeralStorageBytes(spec: Ec2NodeClassSpec, family: AmiFamily): number {
  const devices = devicesOf(spec, family);
  const chosen =
    devices.find((device) => device.rootVolume) ??
    // Nothing is known of a custom image; its last volume is the best guess, as upstream has it.
    (family === 'Custom' ? devices.at(-1) : devices.find((device) => device.deviceName === kubeletDevice(family)));
  const size = chosen?.ebs?.volumeSize;
  return size === undefined ? 20 * gib : volumeBytes(size);
}

/** `100Gi`, `100G`, `1Ti` or `1T`. */
export function volumeBytes(text: string): number {
  const units: Readonly<Record<string, number>> = { Gi: gib, G: 1000 ** 3, Ti: 1024 * gib, T: 1000 ** 4 };
  const [, count = '0', unit = 'Gi'] = /^([0-9]+)([A-Za-z]+)$/.exec(text) ?? [];
  return Number(count) * (units[unit] ?? gib);
}
